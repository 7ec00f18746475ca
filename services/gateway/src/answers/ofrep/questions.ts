import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { toEntity } from '@svc/evaluation'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { type EventLoopScheduler, invalidArgument, notFound } from '@svc/runtime'
import type { Replica } from '../../replica/replica.ts'
import { flagsOf } from '../evaluation/answers.ts'
import type { JsonObject } from '../evaluation/request.ts'
import { readContext } from './context.ts'
import { readNamespace } from './namespace.ts'
import { asksForAttachments } from './value-form.ts'
import { missing, writeFlag } from './writing.ts'

/** A request for an evaluation that has been read, and waits for its sender to be let through. */
export interface Question {
  /** Resolved; it has to be allowed to the caller. */
  readonly namespaceKey: string
  /**
   * @param caller who is asking, if anybody says so
   * @returns nothing when it would take so long that others had to wait
   */
  answer(replica: Replica, caller: Identity | undefined): Answer | undefined
  /** The same in scheduler, between which others are answered. */
  answerInSlices(
    replica: Replica,
    caller: Identity | undefined,
    scheduler: EventLoopScheduler,
  ): Promise<Answer>
}

export interface Answer {
  /** JSON; nothing when the client has it already. */
  readonly text: string | undefined
  /** Without quotes; nothing for an answer that may be another one next time. */
  readonly etag?: string
}

/** @throws {AppError} `invalid_argument` for a request that makes no question */
export function askForFlag(headers: IncomingHttpHeaders, body: JsonObject, key: string): Question {
  const namespaceKey = readNamespace(headers)
  const asAttachment = asksForAttachments(headers)
  const { context, targetingKey } = readContext(body)
  const answer = (replica: Replica): Answer => {
    if (key === '') throw invalidArgument('flag key was not provided')
    const flag = flagsOf(replica, namespaceKey)?.get(key)
    if (flag === undefined) throw notFound('flag', missing(key))
    return {
      text: writeFlag(flag, toEntity(targetingKey ?? randomUUID(), context), { asAttachment }),
    }
  }
  return { namespaceKey, answer, answerInSlices: async (replica) => answer(replica) }
}
