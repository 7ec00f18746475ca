import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FlagQuestion, isInSegment } from '../servers/flags.ts'
import type { Peer } from './peer.ts'

/** flagd with flags from a file, asked by OFREP. It has no authentication. */
export const flagd: Peer = {
  name: 'flagd',
  variable: 'BENCH_FLAGD',
  prepare({ folder, port, otherPorts: [evaluation, management, sync], flagKeys }) {
    const file = join(folder, 'flags.json')
    writeFileSync(file, JSON.stringify(toConfiguration(flagKeys)))
    const ports = {
      '--ofrep-port': port,
      '--port': evaluation,
      '--management-port': management,
      '--sync-port': sync,
    }
    const listening = Object.entries(ports).flatMap(([option, port]) => [option, `${port}`])
    return { args: ['start', '--uri', `file:${file}`, ...listening] }
  },
  ask: (question) => ({
    path: `/ofrep/v1/evaluate/flags/${question.flagKey}`,
    body: { context: toContext(question) },
  }),
  check(question, answer) {
    const { key, value } = answer as { readonly key?: unknown; readonly value?: unknown }
    const isRight =
      key === question.flagKey && typeof value === 'boolean' && (value || !isInSegment(question))
    if (!isRight) throw new Error(`a wrong answer of flagd: ${JSON.stringify(answer)}`)
  },
}

/** The flags of `toDocument` in flagd's own form, with the segment as a shared evaluator. */
export function toConfiguration(flagKeys: readonly string[]) {
  const shares = [
    ['on', 50],
    ['off', 50],
  ]
  return {
    flags: Object.fromEntries(
      flagKeys.map((key) => [
        key,
        {
          state: 'ENABLED',
          variants: { on: true, off: false },
          defaultVariant: 'off',
          targeting: { if: [{ $ref: 'adults-on-pro' }, 'on', { fractional: shares }] },
        },
      ]),
    ),
    $evaluators: {
      'adults-on-pro': {
        and: [{ '==': [{ var: 'plan' }, 'pro'] }, { '>=': [{ var: 'age' }, 18] }],
      },
    },
  }
}

/** The context of a question by OFREP; the age as a number, because flagd compares it as one. */
export function toContext({ entityId, context }: FlagQuestion) {
  return { targetingKey: entityId, ...context, age: Number(context.age) }
}
