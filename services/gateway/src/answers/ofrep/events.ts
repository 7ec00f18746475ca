import type { Identity } from '@svc/proto/auth/v1/identities'
import type { MaybePromise } from '@svc/runtime'
import type { FastifyReply } from 'fastify'
import { formatTicket, makeTicket } from '../../identity/ticket.ts'
import { waitForRevisions } from '../../replica/min-revision.ts'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams, StreamCaller } from '../../streams/caller-streams.ts'
import { encodeEvent } from '../../streams/frame.ts'

/** Some hundreds of events, of a hundred bytes each. */
const maxWaitingBytes = 64 * 1024

/** Seconds in the background after which a page should disconnect; OFREP's default. */
const inactivityDelaySec = 120

/** The event streams that notify clients of changes in a namespace. */
export class NamespaceEvents {
  readonly #replica: Replica
  readonly #streams: CallerStreams

  constructor(replica: Replica, streams: CallerStreams) {
    this.#replica = replica
    this.#streams = streams
    replica.onChange(({ namespaceKey, revision }) => {
      const topic = topicOf(namespaceKey)
      if (streams.all.has(topic)) streams.all.publish(topic, encodeChange(namespaceKey, revision))
    })
  }

  /**
   * Answers with the events of a namespace for as long as the caller may have them.
   *
   * @param since the revision that the client has; left out, it gets later changes only
   * @throws {AppError} `unavailable` when there are too many streams
   */
  open(reply: FastifyReply, caller: StreamCaller, since: string | undefined): void {
    const { namespaceKey } = caller
    const revision = revisionIn(this.#replica, namespaceKey)
    const isBehind = since !== undefined && since !== String(revision)
    const stream = this.#streams.open(reply, topicOf(namespaceKey), caller, {
      maxWaitingBytes,
      // A client that is behind gets there only with the event.
      ...(!isBehind && { id: String(revision) }),
    })
    if (isBehind) stream.send(encodeChange(namespaceKey, revision))
  }
}

/**
 * The revision of what a namespace holds; 0 while it does not exist. Not the number of its deletion,
 * which a gateway does not know that was started later: a client that goes from one gateway to another
 * would take each answer for a change.
 */
export function revisionIn(replica: Replica, namespaceKey: string): number {
  return replica.namespace(namespaceKey)?.revision ?? 0
}

/**
 * Where a client receives the changes after the revision that it has: a URL that is opened without any
 * header. Its ticket keeps the token out of it, and its revision closes the gap until it is opened.
 *
 * @param caller left out where no credential is needed and none was sent
 * @returns nothing for a caller who can have no ticket
 */
export function eventsUriOf(
  namespaceKey: string,
  revision: number,
  caller: Identity | undefined,
): string | undefined {
  const uri = `/ofrep/v1/namespaces/${namespaceKey}/events?since=${revision}`
  if (caller === undefined) return uri
  const ticket = ticketOf(caller, namespaceKey)
  return ticket === '' ? undefined : `${uri}&ticket=${ticket}`
}

/** The ticket that an identity got last. An identity is looked up again twice a minute. */
const lastTickets = new WeakMap<
  Identity,
  { readonly namespaceKey: string; readonly text: string }
>()

function ticketOf(identity: Identity, namespaceKey: string): string {
  const last = lastTickets.get(identity)
  if (last?.namespaceKey === namespaceKey) return last.text
  const ticket = makeTicket(identity, namespaceKey)
  const text = ticket === undefined ? '' : formatTicket(ticket)
  lastTickets.set(identity, { namespaceKey, text })
  return text
}

/** The URL as a bulk evaluation has it, in JSON after its flags. */
export function writeEventStreams(requestUri: string | undefined): string {
  if (requestUri === undefined) return ''
  return `,"eventStreams":${JSON.stringify([{ type: 'sse', endpoint: { requestUri }, inactivityDelaySec }])}`
}

/**
 * Holds an evaluation that follows an event until this gateway has the revision of the event: another
 * gateway may have sent it.
 *
 * @param etag what the client sends of the event; not ours, it is nothing to wait for
 * @throws {AppError} `unavailable` when it does not come in time
 */
export function waitForEtag(
  replica: Replica,
  namespaceKey: string,
  etag: unknown,
): MaybePromise<void> {
  if (etag === undefined) return
  const [, key, digits] = /^(.*):(\d{1,15})$/.exec(String(etag)) ?? []
  if (key === namespaceKey)
    return waitForRevisions(replica, [{ namespaceKey, revision: Number(digits) }])
}

function encodeChange(namespaceKey: string, revision: number): Buffer {
  const data = { type: 'refetchEvaluation', etag: `${namespaceKey}:${revision}` }
  return encodeEvent({ id: String(revision), data: JSON.stringify(data) })
}

function topicOf(namespaceKey: string): string {
  return `ofrep ${namespaceKey}`
}
