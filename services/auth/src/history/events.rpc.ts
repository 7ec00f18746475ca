import { checkFields } from '@svc/contract'
import { formatInstant, type Instant } from '@svc/database'
import type { Event, EventServiceDefinition, ListEventsRequest } from '@svc/proto/auth/v1/events'
import { fieldRules } from '@svc/proto/field-rules'
import type { Handlers } from '@svc/rpc'
import { invalidField, notFound } from '@svc/runtime'
import { requireTokenManager } from '../credentials/callers.ts'
import type { ServiceContext } from '../credentials/context.ts'
import { isStorable } from '../credentials/records/authentications.store.ts'
import { checkInstant } from '../credentials/records/instants.ts'
import { formatPageToken, parsePageToken } from '../credentials/records/pages.ts'
import { findEvent, readChain, readEvents, type StoredEvent } from './events.store.ts'
import { verifyEvents } from './verification.ts'

const defaultLimit = 50

/** Reading the log of events: for those who may manage all tokens. */
export function eventHandlers(context: ServiceContext) {
  const { db } = context
  return {
    async listEvents(request, call) {
      await requireTokenManager(context, call)
      checkFields(fieldRules.ListEventsRequest, request)
      const { limit, ...page } = toPage(request)
      // One more than asked for shows whether there is a next page.
      const found = await readEvents(db, { ...page, limit: limit + 1 })
      const events = found.slice(0, limit)
      const last = found.length > limit ? events.at(-1) : undefined
      const nextPageToken = last === undefined ? '' : formatPageToken(last.number)
      return { events: events.map(toEvent), nextPageToken }
    },

    async getEvent(request, call) {
      await requireTokenManager(context, call)
      checkFields(fieldRules.GetEventRequest, request)
      const number = toNumber(request.number)
      const event = await findEvent(db, number)
      if (event !== undefined) return toEvent(event)
      const { prunedNumber } = await readChain(db)
      const why = number <= prunedNumber ? 'is not kept any more' : 'not found'
      throw notFound('event', `event ${number} ${why}`)
    },

    async verifyEvents(request, call) {
      await requireTokenManager(context, call)
      checkFields(fieldRules.VerifyEventsRequest, request)
      const after = checkWhole('after', request.after)
      return verifyEvents(db, context.events.keys, after, request.limit)
    },
  } satisfies Handlers<EventServiceDefinition>
}

function toPage({ type, actorId, subjectId, since, until, after, ...rest }: ListEventsRequest) {
  const isAscending = after !== undefined
  const start = isAscending ? checkWhole('after', after) : Number.MAX_SAFE_INTEGER
  return {
    type: filterBy('type', type),
    actor: filterBy('actorId', actorId),
    subject: filterBy('subjectId', subjectId),
    since: since === undefined ? null : toText('since', since),
    until: until === undefined ? null : toText('until', until),
    isAscending,
    place: parsePageToken(rest.pageToken) || start,
    limit: rest.limit || defaultLimit,
  }
}

/** @returns nothing for an empty text, which is no filter */
function filterBy(field: string, text: string): string | null {
  if (!isStorable(text)) throw invalidField(field, 'must not contain U+0000')
  return text || null
}

function toText(field: string, instant: Instant): string {
  checkInstant(field, instant)
  return formatInstant(instant)
}

function checkWhole(field: string, value: number): number {
  if (!Number.isSafeInteger(value)) throw invalidField(field, 'must be a whole number')
  return value
}

function toNumber(text: string): number {
  return checkWhole('number', /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN)
}

function toEvent(stored: StoredEvent): Event {
  const { number, at, type, actor, name, subject, address, details, keyId } = stored
  return {
    ...{ number, at, type, keyId },
    actorId: actor,
    actorName: name ?? '',
    subjectId: subject,
    address: address ?? '',
    ...(details !== null && { details }),
    previousHash: stored.previousHash.toString('hex'),
    hash: stored.hash.toString('hex'),
  }
}
