import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FlagQuestion, isInSegment } from '../servers/flags.ts'
import type { Peer } from './peer.ts'

/** A frontend token of the form that Unleash gives: project, environment, secret. */
const token = '*:development.0123456789abcdef0123456789abcdef0123456789abcdef01234567'

const segmentId = 1

/** Unleash Edge 20 in offline mode, on one thread: flags from a file, asked by its frontend API. */
export const unleashEdge: Peer = {
  name: 'unleash-edge',
  variable: 'BENCH_UNLEASH_EDGE',
  prepare({ folder, port, flagKeys }) {
    const file = join(folder, 'features.json')
    writeFileSync(file, JSON.stringify(toFeatures(flagKeys)))
    return {
      args: ['--interface', '127.0.0.1', '--port', `${port}`, 'offline'],
      env: {
        BOOTSTRAP_FILE: file,
        FRONTEND_TOKENS: token,
        // It does not start without one of these as well.
        CLIENT_TOKENS: token,
        TOKIO_WORKER_THREADS: '1',
        RUST_LOG: 'error',
      },
    }
  },
  ask: (question) => ({
    path: `/api/frontend/features/${question.flagKey}`,
    body: toContext(question),
    authorization: token,
  }),
  check(question, answer) {
    const { name, enabled } = answer as { readonly name?: unknown; readonly enabled?: unknown }
    const isRight =
      name === question.flagKey &&
      typeof enabled === 'boolean' &&
      (enabled || !isInSegment(question))
    if (!isRight) throw new Error(`a wrong answer of Unleash Edge: ${JSON.stringify(answer)}`)
  },
}

/** What a server of Unleash would send: the flags of `toDocument`, as features. */
export function toFeatures(flagKeys: readonly string[]) {
  return {
    version: 2,
    features: flagKeys.map((key) => ({
      name: key,
      type: 'release',
      project: 'default',
      enabled: true,
      variants: [],
      strategies: [
        { name: 'default', parameters: {}, constraints: [], segments: [segmentId] },
        {
          name: 'flexibleRollout',
          parameters: { rollout: '50', stickiness: 'userId', groupId: key },
          constraints: [],
        },
      ],
    })),
    segments: [
      {
        id: segmentId,
        name: 'adults-on-pro',
        constraints: [
          { contextName: 'plan', operator: 'IN', values: ['pro'], inverted: false },
          { contextName: 'age', operator: 'NUM_GTE', values: [], value: '18', inverted: false },
        ],
      },
    ],
  }
}

/** The context of a question as Unleash's SDKs take it. */
export function toContext({ entityId, context }: FlagQuestion) {
  return { userId: entityId, properties: context }
}
