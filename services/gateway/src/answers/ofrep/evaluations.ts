import { hash, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '@svc/contract'
import { type CompiledFlag, FlagSet, toEntity } from '@svc/evaluation'
import type { Identity } from '@svc/proto/auth/v1/identities'
import {
  type EventLoopScheduler,
  invalidArgument,
  type MaybePromise,
  notFound,
  unavailable,
} from '@svc/runtime'
import { namesEtag } from '../../http/if-none-match.ts'
import type { Replica } from '../../replica/replica.ts'
import { findNamespace, limitTexts } from '../evaluation/answers.ts'
import { noteDuration, noteMissing } from '../evaluation/measures.ts'
import { TurnLimit, wallClock } from '../evaluation/turn-limit.ts'
import { eventsUriOf, revisionIn, writeEventStreams } from './events.ts'
import { type Asked, readAsked } from './request.ts'
import { missing, type WritingOptions, writeFlag, writeMissing } from './writing.ts'

/** How many flags are evaluated and written in one go, which takes some milliseconds. */
const maxAtOnce = 2000

/** After so many milliseconds fewer flags are too many as well: their segments may be large. */
const maxAtOnceMs = 10

/** Maximum processor time of an answer that is not sliced, in milliseconds: that of 500,000 usual flags. */
const maxUnslicedMs = 1000

/** How often a sliced answer is begun anew, because something has changed before it was done. */
const maxAttempts = 3

/** To be counted on when the same flags and the same context come to be answered differently. */
const etagForm = 2

/** Of a namespace that does not exist: an application may be there before its namespace is. */
const noFlags = new FlagSet()

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
  /** Of the namespace, for an answer about all of it. */
  readonly revision?: number
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
      const startedAt = performance.now()
      const state = findNamespace(replica, namespaceKey)
      const flag = state?.flags.get(key)
      if (flag === undefined) {
        noteMissing(state?.key)
        throw notFound('flag', missing(key))
      }
      const entity = toEntity(targetingKey ?? randomUUID(), context)
      const text = writeFlag(flag, entity, { namespaceKey, asAttachment })
      noteDuration(performance.now() - startedAt, 1)
      return { text }
    },
  }
}

interface BulkOptions {
  readonly scheduler: EventLoopScheduler
  /** Whether an answer for all flags has the variant flags that are off. */
  readonly withDisabled: boolean
}

/**
 * A bulk evaluation. Where it takes long it runs in slices, between which other requests are answered.
 *
 * @throws {AppError} `invalid_argument` for a request that is none for an evaluation
 */
export function prepareFlags(
  headers: IncomingHttpHeaders,
  body: JsonObject,
  { scheduler, withDisabled }: BulkOptions,
): PreparedEvaluation {
  const asked = { ...readAsked(headers, body), withDisabled }
  const { namespaceKey } = asked
  const begin = (replica: Replica, caller: Identity | undefined) =>
    new BulkAnswer(replica, asked, caller)
  const isKnown = ({ etag }: BulkAnswer) =>
    etag !== undefined && namesEtag(headers['if-none-match'], etag)

  const evaluateInSlices = async (replica: Replica, caller: Identity | undefined) => {
    for (let attempt = 1; ; attempt++) {
      await scheduler.yield()
      const answer = begin(replica, caller)
      if (isKnown(answer)) return answer.done(false)
      if (asked.flagKeys === undefined) await scheduler.runInSlices(answer.flags.compileRest())
      // The last attempt is one slice: it has to end.
      const limit = attempt < maxAttempts ? undefined : new TurnLimit(maxUnslicedMs)
      for (const flag of answer.asked()) {
        answer.add(flag)
        if (limit?.isOver()) throw unavailable('the namespace changes too fast, try again')
        if (limit === undefined && scheduler.shouldYield) await scheduler.yield()
      }
      if (revisionIn(replica, namespaceKey) === answer.revision) return answer.done()
    }
  }

  return {
    namespaceKey,
    evaluate(replica, caller) {
      const startedAt = performance.now()
      const answer = begin(replica, caller)
      if (isKnown(answer)) return answer.done(false)
      const isLarge = asked.flagKeys === undefined && answer.flags.size > maxAtOnce
      if (isLarge) return evaluateInSlices(replica, caller)
      const limit = new TurnLimit(maxAtOnceMs, wallClock)
      for (const flag of answer.asked()) {
        answer.add(flag)
        if (limit.isOver()) return evaluateInSlices(replica, caller)
      }
      noteDuration(performance.now() - startedAt, answer.count)
      return answer.done()
    },
  }
}

interface BulkAsked extends Asked {
  readonly withDisabled: boolean
}

/** An answer as of one moment, which is written flag by flag. */
class BulkAnswer {
  readonly flags: FlagSet
  readonly revision: number
  readonly etag: string | undefined
  /** How many flags are in it. */
  count = 0
  /** Of a namespace that there is. */
  readonly #namespaceKey: string | undefined
  readonly #eventsUri: string | undefined
  readonly #entity: ReturnType<typeof toEntity>
  readonly #options: WritingOptions
  readonly #withDisabled: boolean
  readonly #flagKeys: readonly string[] | undefined
  #texts = ''

  /** @throws {AppError} `unavailable` while nothing has been loaded */
  constructor(replica: Replica, asked: BulkAsked, caller: Identity | undefined) {
    const { namespaceKey, context, targetingKey, asAttachment } = asked
    const state = findNamespace(replica, namespaceKey)
    this.flags = state?.flags ?? noFlags
    this.#namespaceKey = state?.key
    this.revision = revisionIn(replica, namespaceKey)
    this.#eventsUri = eventsUriOf(namespaceKey, this.revision, caller)
    // What rests on chance is another answer each time.
    this.etag =
      targetingKey === undefined ? undefined : etagOf(asked, this.revision, this.#eventsUri)
    this.#entity = toEntity(targetingKey ?? randomUUID(), context)
    this.#withDisabled = asked.withDisabled
    this.#flagKeys = asked.flagKeys
    this.#options = { namespaceKey, asAttachment, count: limitTexts('flags') }
  }

  /** The flags that are to be added, or their keys where they are listed. */
  asked(): readonly (CompiledFlag | string)[] {
    return this.#flagKeys ?? this.flags.flags()
  }

  /** A variant flag that is off is left out as one of all, unless it is asked for. */
  add(flag: CompiledFlag | string): void {
    if (typeof flag === 'string') this.#addListed(flag)
    else if (this.#withDisabled || flag.type === 'BOOLEAN_FLAG_TYPE' || flag.enabled) {
      this.#write(writeFlag(flag, this.#entity, this.#options))
    }
  }

  #addListed(key: string): void {
    const flag = this.flags.get(key)
    if (flag === undefined) noteMissing(this.#namespaceKey)
    this.#write(
      flag === undefined ? writeMissing(key) : writeFlag(flag, this.#entity, this.#options),
    )
  }

  done(isNew = true): Answer {
    const events = writeEventStreams(this.#eventsUri)
    const text = isNew ? `{"flags":[${this.#texts}]${events}}` : undefined
    const { etag, revision } = this
    return etag === undefined ? { text, revision } : { text, etag, revision }
  }

  #write(text: string): void {
    this.count += 1
    this.#texts += this.#texts === '' ? text : `,${text}`
  }
}

/**
 * The tag, without quotes, of an answer, made of all that decides it and without making it: the state
 * of the namespace, the context in any order, the URL of the event stream, whether values are
 * attachments, and whether flags that are off are there. Whether `flags` of the context list any is not to be
 * seen there: the context has texts alone.
 */
export function etagOf(
  asked: Pick<BulkAsked, 'namespaceKey' | 'context' | 'flagKeys' | 'asAttachment' | 'withDisabled'>,
  revision: number,
  eventsUri: string | undefined,
): string {
  const { namespaceKey, context, flagKeys, asAttachment, withDisabled } = asked
  const known = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))
  const head = [etagForm, namespaceKey, revision, eventsUri, asAttachment, known]
  // In a usual answer to providers nothing more: gateways of the version before make the same tag.
  const listsNone = flagKeys === undefined && Object.hasOwn(context, 'flags')
  const more = listsNone ? [withDisabled, listsNone] : withDisabled ? [withDisabled] : []
  return hash('sha256', JSON.stringify([...head, ...more]), 'base64url')
}
