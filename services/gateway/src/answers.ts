import type { Operation } from '@svc/contract'
import type { FastifyBaseLogger } from 'fastify'
import { Copies } from './answers/copies/copies.ts'
import { evaluationAnswerers } from './answers/evaluation/answerers.ts'
import { insightAnswerers } from './answers/insight/answerers.ts'
import { metaAnswerers } from './answers/meta/answerers.ts'
import { ofrepAnswerers } from './answers/ofrep/answerers.ts'
import { ofrepErrorBody } from './answers/ofrep/errors.ts'
import { recordAnswerers } from './answers/records/answerers.ts'
import { remoteAnswerer } from './answers/remote/answerer.ts'
import type { CallService } from './answers/remote/call.ts'
import type { MessageThread } from './answers/remote/message-thread.ts'
import { snapshotAnswerers } from './answers/snapshot/answerers.ts'
import type { EdgeOptions } from './http/edge.ts'
import type { AnswererFor } from './operations/answerer.ts'
import type { Replica } from './replica/replica.ts'
import type { CallerStreams } from './streams/caller-streams.ts'

export interface AnswerParts {
  readonly replica: Replica
  readonly streams: CallerStreams
  readonly log: FastifyBaseLogger
  readonly services: CallService
  readonly messages: MessageThread
  /** Whether requests need a credential. */
  readonly required: boolean
}

/** The answerer of every operation: one of this gateway, or the service that the contract names. */
export function answerersBy(parts: AnswerParts): (operation: Operation) => AnswererFor {
  const copies = new Copies(parts)
  const here = new Map([
    ...evaluationAnswerers(parts.replica),
    ...insightAnswerers(parts.replica),
    ...snapshotAnswerers(copies),
    ...recordAnswerers(copies),
    ...ofrepAnswerers(parts),
    ...metaAnswerers(parts.required),
  ])
  const remote = remoteAnswerer(parts)
  return ({ path, route }) => {
    if (route.answeredBy !== 'GATEWAY') return remote
    const answererFor = here.get(path)
    if (answererFor === undefined) throw new Error(`there is no answerer for ${path}`)
    return answererFor
  }
}

/** The form of an error: that of the route or, where there is no route, of the area of the URL. */
export function errorBodiesOf(
  operations: readonly Operation[],
): NonNullable<EdgeOptions['errorBodyOf']> {
  const ofrep = operations.filter(({ route }) => route.area === 'OFREP')
  const roots = new Set(
    ofrep.flatMap(({ bindings }) => bindings.map(({ template }) => template.text.split('/')[1])),
  )
  return ({ routeOptions, raw }) => {
    if (routeOptions.url !== undefined) return routeOptions.config.errorBody
    const [, root] = /^\/([^/?]*)/.exec(raw.url ?? '') ?? []
    return roots.has(root) ? ofrepErrorBody : undefined
  }
}
