import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { toEntity } from '@svc/evaluation'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { invalidArgument, type MaybePromise, notFound } from '@svc/runtime'
import type { Replica } from '../../replica/replica.ts'
import { flagsOf } from '../evaluation/answers.ts'
import type { JsonObject } from '../evaluation/request.ts'
import { readAsked } from './request.ts'
import { missing, writeFlag } from './writing.ts'

/** An evaluation whose request has been read, and whose caller is still to be authorized. */
export interface PreparedEvaluation {
  /** Resolved; it has to be allowed to the caller. */
  readonly namespaceKey: string
  /** @param caller nothing where no credential is needed and none was sent */
  readonly evaluate: (replica: Replica, caller: Identity | undefined) => MaybePromise<Answer>
}

export interface Answer {
  /** JSON; nothing when the client has it already. */
  readonly text: string | undefined
  /** Without quotes; nothing for an answer that may differ next time. */
  readonly etag?: string
}

/** @throws {AppError} `invalid_argument` for a request that is none for an evaluation */
export function prepareFlag(
  headers: IncomingHttpHeaders,
  body: JsonObject,
  key: string,
): PreparedEvaluation {
  const { namespaceKey, context, targetingKey, asAttachment } = readAsked(headers, body)
  return {
    namespaceKey,
    evaluate(replica) {
      if (key === '') throw invalidArgument('flag key was not provided')
      const flag = flagsOf(replica, namespaceKey)?.get(key)
      if (flag === undefined) throw notFound('flag', missing(key))
      const entity = toEntity(targetingKey ?? randomUUID(), context)
      return { text: writeFlag(flag, entity, { asAttachment }) }
    },
  }
}
