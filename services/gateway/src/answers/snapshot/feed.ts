import { type EventLoopScheduler, type Limiter, unavailable } from '@svc/runtime'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams, StreamCaller } from '../../streams/caller-streams.ts'
import type { EventStream } from '../../streams/event-stream.ts'
import { encodeEvent, type Frame } from '../../streams/frame.ts'
import { changeSince, encodeSnapshotChange } from './change.ts'
import { type Form, forms } from './form.ts'
import { emptySnapshot, type Snapshots } from './snapshots.ts'

/** Maximum bytes that wait for a client besides its first events: hundreds of changes, or a large one. */
const maxWaitingBytes = 2 ** 20

/** Maximum number of events that bring a new client up to date: one, and one for each change meanwhile. */
const maxFirstEvents = 100

/** Longest wait for a revision that a client has and this gateway lacks; usually milliseconds. */
const maxBehindMs = 500

/** The state of a namespace that a client has. Without an id there was no such namespace. */
interface ClientState {
  readonly stateId: symbol | undefined
  readonly revision: number
}

/** An event, and the state in which it leaves a client. */
interface Update {
  readonly frame: Frame
  readonly state: ClientState
  /** It replaces whatever the client had before. */
  readonly isWhole: boolean
}

/** A namespace in one form, while there are listeners. */
interface Channel {
  readonly topic: string
  readonly namespaceKey: string
  readonly form: Form
  /** What the listeners have. */
  state: ClientState
  /** Resolves when they have everything. */
  publishing: Promise<void> | undefined
}

/** A request for a stream. */
interface Client {
  readonly reply: FastifyReply
  readonly caller: StreamCaller
  readonly form: Form
}

export interface FeedParts {
  readonly replica: Replica
  readonly snapshots: Snapshots
  readonly streams: CallerStreams
  readonly scheduler: EventLoopScheduler
  /** Limits the large snapshots that are sent at once, by namespace. */
  readonly limiter: Limiter
  readonly log: FastifyBaseLogger
}

/** The streams in which clients get a namespace and then what changes in it. */
export class SnapshotFeed {
  readonly #parts: FeedParts
  /** By topic. */
  readonly #channels = new Map<string, Channel>()

  constructor(parts: FeedParts) {
    this.#parts = parts
    parts.replica.onChange(({ namespaceKey }) => {
      for (const form of forms) this.#publish(this.#channels.get(topicOf(namespaceKey, form)))
    })
  }

  /**
   * Answers with the events of a namespace for as long as the caller may have them.
   *
   * @param since the revision that the client has, if it has any
   * @throws {AppError} `unavailable` when the client knows more than this gateway, or there are too
   *   many streams or large snapshots; `invalid_argument` when the namespace is too large
   */
  async open(
    reply: FastifyReply,
    caller: StreamCaller,
    form: Form,
    since: number | undefined,
  ): Promise<void> {
    const { namespaceKey } = caller
    const state = since === undefined ? undefined : await this.#recognize(namespaceKey, since)
    await this.#bringUpToDate({ reply, caller, form }, state)
  }

  /** Collects what the client lacks until it lacks nothing, and opens its stream in the same turn. */
  async #bringUpToDate(
    client: Client,
    before: ClientState | undefined,
    isLimited = false,
  ): Promise<EventStream> {
    const { form, caller } = client
    const { namespaceKey } = caller
    const topic = topicOf(namespaceKey, form)
    let state = before
    let frames: Frame[] = []
    for (let attempt = 0; attempt < maxFirstEvents; attempt++) {
      const channel = this.#channels.get(topic)
      if (state === undefined || !this.#isLatest(namespaceKey, state)) {
        const update = await this.#nextUpdate(namespaceKey, form, state)
        if (!isLimited && !Buffer.isBuffer(update.frame)) {
          return this.#parts.limiter.run(namespaceKey, async () => {
            const stream = await this.#bringUpToDate(client, before, true)
            await stream.sent
            return stream
          })
        }
        frames = update.isWhole ? [update.frame] : [...frames, update.frame]
        state = update.state
      } else if (channel !== undefined && !isSame(channel.state, state)) {
        // The listeners are about to get what this client has already.
        await channel.publishing
      } else {
        return this.#open(client, frames, channel ?? newChannel(topic, namespaceKey, form, state))
      }
    }
    throw unavailable('the namespace changes too fast, try again')
  }

  /** Runs without an await, so that the client misses nothing and gets nothing twice. */
  #open({ reply, caller }: Client, frames: readonly Frame[], channel: Channel): EventStream {
    const { topic } = channel
    const bytes = frames.reduce((sum, { length }) => sum + length, 0)
    const stream = this.#parts.streams.open(reply, topic, caller, {
      // With frames to come the client is not there before it has them.
      ...(frames.length === 0 && { id: String(channel.state.revision) }),
      maxWaitingBytes: bytes + maxWaitingBytes,
      onEnd: () => {
        if (!this.#parts.streams.has(topic)) this.#channels.delete(topic)
      },
    })
    if (stream.isOpen) this.#channels.set(topic, channel)
    for (const frame of frames) stream.send(frame)
    return stream
  }

  /**
   * The state of a client that names a revision, if it is known here.
   *
   * @throws {AppError} `unavailable` when this gateway is known to be behind
   */
  async #recognize(namespaceKey: string, revision: number): Promise<ClientState | undefined> {
    const { replica } = this.#parts
    const isHere = await replica.waitFor(namespaceKey, revision, maxBehindMs)
    if (!isHere && !replica.isCurrent) {
      throw unavailable(
        `revision ${revision} of namespace "${namespaceKey}" is not here yet, try again`,
      )
    }
    // A revision that will not come was lost with the database: the client gets what there is.
    return isHere ? { stateId: replica.namespace(namespaceKey)?.id, revision } : undefined
  }

  #isLatest(namespaceKey: string, { stateId, revision }: ClientState): boolean {
    const { replica } = this.#parts
    return (
      stateId === replica.namespace(namespaceKey)?.id &&
      revision === replica.revisionOf(namespaceKey)
    )
  }

  async #nextUpdate(
    namespaceKey: string,
    form: Form,
    before: ClientState | undefined,
  ): Promise<Update> {
    const { replica, snapshots, scheduler } = this.#parts
    const state = replica.namespace(namespaceKey)
    if (state === undefined) {
      const revision = replica.revisionOf(namespaceKey)
      const data = emptySnapshot(namespaceKey)
      const frame = encodeEvent({ id: String(revision), event: 'snapshot', data })
      return { frame, state: { stateId: undefined, revision }, isWhole: true }
    }
    const { id: stateId } = state
    const change = before?.stateId === stateId ? changeSince(state, before.revision) : undefined
    if (change === undefined) {
      const snapshot = await snapshots.get(state, form)
      const frame = await snapshots.frameOf(snapshot)
      return { frame, state: { stateId, revision: snapshot.revision }, isWhole: true }
    }
    const frame = await encodeSnapshotChange(change, form, scheduler)
    return { frame, state: { stateId, revision: change.view.revision }, isWhole: false }
  }

  #publish(channel: Channel | undefined): void {
    if (channel === undefined || channel.publishing !== undefined) return
    if (this.#isLatest(channel.namespaceKey, channel.state)) return
    channel.publishing = this.#publishAll(channel)
  }

  /** One event for each change; one for all changes that come while another is being encoded. */
  async #publishAll(channel: Channel): Promise<void> {
    const { topic, namespaceKey, form } = channel
    try {
      while (!this.#isLatest(namespaceKey, channel.state)) {
        const { frame, state } = await this.#nextUpdate(namespaceKey, form, channel.state)
        // All listeners have left meanwhile, and the topic may have a new channel.
        if (this.#channels.get(topic) !== channel) return
        channel.state = state
        this.#parts.streams.publish(topic, frame)
      }
    } catch (error) {
      // The clients come back, and get the reason as an answer.
      this.#parts.log.warn({ err: error, topic }, 'cannot publish a change')
      if (this.#channels.get(topic) === channel) this.#parts.streams.end(topic)
    } finally {
      // In the same turn as the last look at the namespace, so that no change is missed.
      channel.publishing = undefined
    }
  }
}

function newChannel(topic: string, namespaceKey: string, form: Form, state: ClientState): Channel {
  return { topic, namespaceKey, form, state, publishing: undefined }
}

function isSame(one: ClientState, other: ClientState): boolean {
  return one.stateId === other.stateId && one.revision === other.revision
}

function topicOf(namespaceKey: string, { name }: Form): string {
  return `snapshots ${name} ${namespaceKey}`
}
