import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type CompiledFlag, toEntity } from '@svc/evaluation'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { invalidArgument, notFound } from '@svc/runtime'
import { flagsOf, limitAttachments } from '../evaluation/answers.ts'
import type { JsonObject } from '../evaluation/request.ts'
import type { Replica } from '../replica/replica.ts'
import { namesEtag } from '../snapshot/etag.ts'
import { readContext } from './context.ts'
import { etagOf } from './etag.ts'
import { eventsUriOf, writeEventStreams } from './events.ts'
import { readNamespace } from './namespace.ts'
import { missing, writeFlag, writeMissing } from './writing.ts'

/** A request for an evaluation that has been read, and waits for its sender to be let through. */
export interface Question {
  /** Resolved; it has to be allowed to the caller. */
  readonly namespaceKey: string
  /** @param caller who is asking, if anybody says so */
  answer(replica: Replica, caller: Identity | undefined): Answer
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
  const { context, targetingKey } = readContext(body)
  return {
    namespaceKey,
    answer(replica) {
      if (key === '') throw invalidArgument('flag key was not provided')
      const flag = flagsOf(replica, namespaceKey)?.get(key)
      if (flag === undefined) throw notFound('flag', missing(key))
      return { text: writeFlag(flag, toEntity(targetingKey ?? randomUUID(), context)) }
    },
  }
}

/** @throws {AppError} `invalid_argument` for a request that makes no question */
export function askForFlags(headers: IncomingHttpHeaders, body: JsonObject): Question {
  const namespaceKey = readNamespace(headers)
  const { context, targetingKey, flagKeys } = readContext(body)
  return {
    namespaceKey,
    answer(replica, caller) {
      const flags = flagsOf(replica, namespaceKey)
      if (flags === undefined) {
        throw notFound('namespace', `namespace was not found ${namespaceKey}`)
      }
      const revision = replica.revisionOf(namespaceKey)
      const eventsUri = eventsUriOf(namespaceKey, revision, caller)
      const etag =
        targetingKey === undefined ? undefined : etagOf(namespaceKey, revision, context, eventsUri)
      if (etag !== undefined && namesEtag(headers['if-none-match'], etag)) {
        return { text: undefined, etag }
      }
      const entity = toEntity(targetingKey ?? randomUUID(), context)
      const count = limitAttachments('flags')
      let texts = ''
      const add = (text: string) => {
        texts += texts === '' ? text : `,${text}`
      }
      if (flagKeys === undefined) {
        for (const flag of flags.flags()) {
          if (isListed(flag)) add(writeFlag(flag, entity, count))
        }
      } else {
        for (const key of flagKeys) {
          const flag = flags.get(key)
          add(flag === undefined ? writeMissing(key) : writeFlag(flag, entity, count))
        }
      }
      const text = `{"flags":[${texts}]${writeEventStreams(eventsUri)}}`
      return etag === undefined ? { text } : { text, etag }
    },
  }
}

/** Whether a flag is among all flags. A variant flag that is off has nothing to say. */
function isListed(flag: CompiledFlag): boolean {
  return flag.type === 'BOOLEAN_FLAG_TYPE' || flag.enabled
}
