import { type Limiter, unavailable } from '@svc/runtime'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import type { NamespaceState } from '../../replica/namespace-state.ts'
import type { CallerStreams, StreamCaller } from '../../streams/caller-streams.ts'
import type { EventStream } from '../../streams/event-stream.ts'
import { encodeEvent, type Frame } from '../../streams/frame.ts'
import { toCopyText, toFrame } from './copy-text.ts'
import type { Form } from './form.ts'
import type { CopyParts } from './send-whole.ts'

/** Maximum bytes that wait for a client besides its first events: hundreds of changes, or a large one. */
const maxWaitingBytes = 2 ** 20

/** Maximum number of events that bring a new client up to date: one, and one for each change meanwhile. */
const maxFirstEvents = 100

/** Longest wait for a revision that a client has and this gateway lacks; usually milliseconds. */
const maxBehindMs = 500

/** Below this number of flags and segments a change is sent as such, even where the whole would be no larger. */
const alwaysSmall = 256

/** Above it never: to look so many up takes the thread for several milliseconds. */
const neverSmall = 10_000

/** What a client has of a namespace. */
interface Held {
  /** The namespace that it had the revision of; left out when there was none. */
  readonly state: NamespaceState | undefined
  readonly revision: number
}

/** An event, and what a client has after it. */
interface Update {
  readonly frame: Frame
  readonly held: Held
  /** It replaces whatever the client had before. */
  readonly isWhole: boolean
}

/** A namespace in one form, while there are listeners. */
interface Channel {
  readonly topic: string
  readonly namespaceKey: string
  readonly form: Form
  /** What the listeners have. */
  held: Held
  /** Resolves when they have everything. */
  publishing: Promise<void> | undefined
}

/** A request for a stream. */
interface Client {
  readonly reply: FastifyReply
  readonly caller: StreamCaller
  readonly form: Form
  /** Whether it is the client's turn to get large events. */
  readonly hasTurn: boolean
}

export interface FeedParts extends CopyParts {
  /** Limits the streams to which a large change is sent at once, by namespace. */
  readonly changeLimiter: Limiter
  readonly streams: CallerStreams
  readonly log: FastifyBaseLogger
}

/** The streams in which clients get a namespace and then what changes in it. */
export class CopyFeed {
  readonly #parts: FeedParts
  /** Those that were requested. */
  readonly #forms = new Set<Form>()
  /** By topic. */
  readonly #channels = new Map<string, Channel>()

  constructor(parts: FeedParts) {
    this.#parts = parts
    parts.replica.onChange(({ namespaceKey }) => {
      for (const form of this.#forms) this.#publish(this.#channels.get(topicOf(namespaceKey, form)))
    })
  }

  /**
   * Answers with the events of a namespace for as long as the caller may have them.
   *
   * @param since the revision that the client has, if it has any
   * @throws {AppError} `unavailable` when the client knows more than this gateway, or there are too
   *   many streams or large copies; `invalid_argument` when the namespace is too large
   */
  async open(
    reply: FastifyReply,
    caller: StreamCaller,
    form: Form,
    since: number | undefined,
  ): Promise<void> {
    const { namespaceKey } = caller
    this.#forms.add(form)
    const client = { reply, caller, form, hasTurn: false }
    const held = since === undefined ? undefined : await this.#recognize(namespaceKey, since)
    const isLatest = held !== undefined && this.#isLatest(namespaceKey, held)
    const first = isLatest ? undefined : await this.#nextUpdate(namespaceKey, form, held)
    if (first === undefined || Buffer.isBuffer(first.frame)) {
      await this.#bringUpToDate(client, held, first)
    } else {
      await this.#parts.limiter.run(namespaceKey, async () => {
        const stream = await this.#bringUpToDate({ ...client, hasTurn: true }, held, undefined)
        await stream.sent
      })
    }
  }

  /** Collects what the client lacks until it lacks nothing, and opens its stream in the same turn. */
  async #bringUpToDate(
    client: Client,
    before: Held | undefined,
    first: Update | undefined,
  ): Promise<EventStream> {
    const { form, caller } = client
    const { namespaceKey } = caller
    const topic = topicOf(namespaceKey, form)
    let held = first?.held ?? before
    let frames = first === undefined ? [] : [first.frame]
    for (let attempt = 0; attempt < maxFirstEvents; attempt++) {
      const channel = this.#channels.get(topic)
      if (held === undefined || !this.#isLatest(namespaceKey, held)) {
        const update = await this.#nextUpdate(namespaceKey, form, held)
        frames = update.isWhole ? [update.frame] : [...frames, update.frame]
        held = update.held
      } else if (channel === undefined || isSame(channel.held, held)) {
        const own = { topic, namespaceKey, form, held, publishing: undefined }
        return this.#open(client, frames, channel ?? own)
      } else {
        // The listeners are about to get what this client has already.
        await channel.publishing
      }
    }
    throw unavailable('the namespace changes too fast, try again')
  }

  /** Runs without an await, so that the client misses nothing and gets nothing twice. */
  #open(
    { reply, caller, hasTurn }: Client,
    frames: readonly Frame[],
    channel: Channel,
  ): EventStream {
    const { topic } = channel
    const bytes = frames.reduce((sum, { length }) => sum + length, 0)
    const stream = this.#parts.streams.open(reply, topic, caller, {
      // With frames to come the client is not there before it has them.
      ...(frames.length === 0 && { id: String(channel.held.revision) }),
      maxWaitingBytes: bytes + maxWaitingBytes,
      onEnd: () => {
        if (!this.#parts.streams.all.has(topic)) this.#channels.delete(topic)
      },
    })
    if (stream.isOpen) this.#channels.set(topic, channel)
    for (const frame of frames) stream.send(hasTurn ? frame : this.#inTurn(frame, channel))
    return stream
  }

  /**
   * What a client has that names a revision, if it is known here.
   *
   * @throws {AppError} `unavailable` when this gateway is known to be behind
   */
  async #recognize(namespaceKey: string, revision: number): Promise<Held | undefined> {
    const { replica } = this.#parts
    const isHere = await replica.waitFor(namespaceKey, revision, maxBehindMs)
    if (!isHere && !replica.isCurrent) {
      throw unavailable(
        `revision ${revision} of namespace "${namespaceKey}" is not here yet, try again`,
      )
    }
    // A revision that will not come was lost with the database: the client gets what there is.
    return isHere ? { state: replica.namespace(namespaceKey), revision } : undefined
  }

  #isLatest(namespaceKey: string, { state, revision }: Held): boolean {
    const { replica } = this.#parts
    return (
      state === replica.namespace(namespaceKey) && revision === replica.revisionOf(namespaceKey)
    )
  }

  async #nextUpdate(namespaceKey: string, form: Form, before: Held | undefined): Promise<Update> {
    const { replica, wholes } = this.#parts
    const { scheduler } = replica
    const state = replica.namespace(namespaceKey)
    if (state === undefined) {
      const revision = replica.revisionOf(namespaceKey)
      const data = form.emptyOf(namespaceKey, revision)
      const frame = encodeEvent({ id: String(revision), event: form.wholeEvent, data })
      return { frame, held: { state, revision }, isWhole: true }
    }
    await scheduler.runInSlices(state.flags.compileRest())
    const changes = before?.state === state ? form.changesSince(state, before.revision) : undefined
    const changed = changes && changes.flagKeys.size + changes.segmentKeys.size
    const maxChanged = Math.min(neverSmall, Math.max(alwaysSmall, state.flags.size / 2))
    if (before === undefined || changes === undefined || Number(changed) > maxChanged) {
      const whole = await wholes.get(state, form)
      const frame = await wholes.frameOf(whole)
      return { frame, held: { state, revision: whole.revision }, isWhole: true }
    }
    const view = state.viewOf(changes.flagKeys)
    const { revision } = view
    const pieces = form.changeOf({ ...changes, fromRevision: before.revision, view })
    const text = await toCopyText(pieces, scheduler)
    const frame = toFrame(text, { id: String(revision), event: 'change' }, scheduler)
    return { frame, held: { state, revision }, isWhole: false }
  }

  #publish(channel: Channel | undefined): void {
    if (channel === undefined || channel.publishing !== undefined) return
    if (this.#isLatest(channel.namespaceKey, channel.held)) return
    channel.publishing = this.#publishAll(channel)
  }

  /** Has streams wait for their turn with a large event: the slices that are being sent are made for each. */
  #inTurn(frame: Frame, { namespaceKey }: Channel): Frame {
    if (Buffer.isBuffer(frame)) return frame
    const { changeLimiter } = this.#parts
    return {
      length: frame.length,
      async *slices() {
        const end = await changeLimiter.begin(namespaceKey)
        try {
          yield* frame.slices()
        } finally {
          end()
        }
      },
    }
  }

  /** One event for each change; one for all changes that come while another is being encoded. */
  async #publishAll(channel: Channel): Promise<void> {
    const { topic, namespaceKey, form } = channel
    try {
      while (!this.#isLatest(namespaceKey, channel.held)) {
        const { frame, held } = await this.#nextUpdate(namespaceKey, form, channel.held)
        // All listeners have left meanwhile, and the topic may have a new channel.
        if (this.#channels.get(topic) !== channel) return
        channel.held = held
        this.#parts.streams.all.publish(topic, this.#inTurn(frame, channel))
      }
    } catch (error) {
      // The clients reconnect, and get the reason as an answer.
      this.#parts.log.warn({ err: error, topic }, 'cannot publish a change')
      if (this.#channels.get(topic) === channel) this.#parts.streams.all.end(topic)
    } finally {
      // In the same turn as the last look at the namespace, so that no change is missed.
      channel.publishing = undefined
    }
  }
}

function isSame(one: Held, other: Held): boolean {
  return one.state === other.state && one.revision === other.revision
}

function topicOf(namespaceKey: string, { name }: Form): string {
  return `copies ${name} ${namespaceKey}`
}
