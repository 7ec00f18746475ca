import { type EventLoopScheduler, unavailable } from '@svc/runtime'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams, StreamCaller } from '../../streams/caller-streams.ts'
import { changeSince, encodeSnapshotChange } from './change.ts'
import { type Form, forms } from './form.ts'
import { emptySnapshot } from './snapshot.ts'
import type { Snapshots } from './snapshots.ts'

/** What may wait for a client besides what it got first: hundreds of changes, or a large one. */
const maxWaitingBytes = 2 ** 20

/**
 * How often somebody who comes is brought up to date before they listen: once, and again for what
 * changes in the meantime.
 */
const maxAttempts = 100

/** How long somebody waits who knows more than this gateway; changes take milliseconds to get here. */
const maxBehindMs = 500

/** The state of a namespace that somebody has got. Without a copy there was no such namespace. */
interface Held {
  readonly copyId: symbol | undefined
  readonly revision: number
}

/** What takes somebody to a state. */
interface Step {
  readonly frame: Buffer
  readonly held: Held
  /** Whatever they had before does not matter. */
  readonly isWhole: boolean
}

/** A namespace in one form, while somebody listens. */
interface Channel {
  readonly topic: string
  readonly namespaceKey: string
  readonly form: Form
  /** What the listeners have got. */
  held: Held
  /** Resolves when they have got everything. */
  telling: Promise<void> | undefined
}

export interface FeedParts {
  readonly replica: Replica
  readonly snapshots: Snapshots
  readonly streams: CallerStreams
  readonly scheduler: EventLoopScheduler
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
      for (const form of forms) this.#tell(this.#channels.get(topicOf(namespaceKey, form)))
    })
  }

  /**
   * Answers with the events of a namespace for as long as the caller may have them.
   *
   * @param since the revision that the client has, if it has any
   * @throws {AppError} `unavailable` when the client knows more than this gateway, or there are too
   *   many streams; `invalid_argument` when the namespace is too large
   */
  async open(
    reply: FastifyReply,
    caller: StreamCaller,
    form: Form,
    since: number | undefined,
  ): Promise<void> {
    const { namespaceKey } = caller
    const topic = topicOf(namespaceKey, form)
    let held = since === undefined ? undefined : await this.#recognize(namespaceKey, since)
    let frames: Buffer[] = []
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const channel = this.#channels.get(topic)
      if (held === undefined || !this.#isLatest(namespaceKey, held)) {
        const step = await this.#nextStep(namespaceKey, form, held)
        frames = step.isWhole ? [step.frame] : [...frames, step.frame]
        held = step.held
      } else if (channel !== undefined && !isSame(channel.held, held)) {
        // The others are about to get what this one has already.
        await channel.telling
      } else {
        this.#open(reply, caller, frames, channel ?? newChannel(topic, namespaceKey, form, held))
        return
      }
    }
    throw unavailable('the namespace changes too fast, try again')
  }

  /** Nothing changes while this goes on, so that the client misses nothing and gets nothing twice. */
  #open(reply: FastifyReply, caller: StreamCaller, frames: readonly Buffer[], channel: Channel) {
    const { topic } = channel
    const bytes = frames.reduce((sum, { length }) => sum + length, 0)
    const stream = this.#parts.streams.open(reply, topic, caller, {
      // Who has to be sent something has not got there before that.
      ...(frames.length === 0 && { id: String(channel.held.revision) }),
      maxWaitingBytes: bytes + maxWaitingBytes,
      onEnd: () => {
        if (!this.#parts.streams.has(topic)) this.#channels.delete(topic)
      },
    })
    if (stream.isOpen) this.#channels.set(topic, channel)
    for (const frame of frames) stream.send(frame)
  }

  /**
   * What a client has that names a revision, if this gateway can tell.
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
    // What is not here and will not come was lost with the database: the client gets what there is.
    return isHere ? { copyId: replica.namespace(namespaceKey)?.id, revision } : undefined
  }

  #isLatest(namespaceKey: string, { copyId, revision }: Held): boolean {
    const { replica } = this.#parts
    return (
      copyId === replica.namespace(namespaceKey)?.id &&
      revision === replica.revisionOf(namespaceKey)
    )
  }

  async #nextStep(namespaceKey: string, form: Form, before: Held | undefined): Promise<Step> {
    const { replica, snapshots, scheduler } = this.#parts
    const copy = replica.namespace(namespaceKey)
    if (copy === undefined) {
      const revision = replica.revisionOf(namespaceKey)
      const { frame } = emptySnapshot(namespaceKey, revision)
      return { frame, held: { copyId: undefined, revision }, isWhole: true }
    }
    const change = before?.copyId === copy.id ? changeSince(copy, before.revision) : undefined
    if (change === undefined) {
      const { frame, copyId, revision } = await snapshots.get(copy, form)
      return { frame, held: { copyId, revision }, isWhole: true }
    }
    const frame = await encodeSnapshotChange(change, form, scheduler)
    const { revision } = change.view
    return { frame, held: { copyId: copy.id, revision }, isWhole: false }
  }

  #tell(channel: Channel | undefined): void {
    if (channel === undefined || channel.telling !== undefined) return
    if (this.#isLatest(channel.namespaceKey, channel.held)) return
    channel.telling = this.#tellAll(channel)
  }

  /** One event for each change; for all of those together that come while one is being encoded. */
  async #tellAll(channel: Channel): Promise<void> {
    const { topic, namespaceKey, form } = channel
    try {
      while (!this.#isLatest(namespaceKey, channel.held)) {
        const { frame, held } = await this.#nextStep(namespaceKey, form, channel.held)
        // They have all left, and somebody else may have come since.
        if (this.#channels.get(topic) !== channel) return
        channel.held = held
        this.#parts.streams.publish(topic, frame)
      }
    } catch (error) {
      // They come back, and are told why it does not go on.
      this.#parts.log.warn({ err: error, topic }, 'cannot tell of a change')
      if (this.#channels.get(topic) === channel) this.#parts.streams.end(topic)
    } finally {
      // In the same turn as the last look at the namespace: the next change is heard of.
      channel.telling = undefined
    }
  }
}

function newChannel(topic: string, namespaceKey: string, form: Form, held: Held): Channel {
  return { topic, namespaceKey, form, held, telling: undefined }
}

function isSame(one: Held, other: Held): boolean {
  return one.copyId === other.copyId && one.revision === other.revision
}

function topicOf(namespaceKey: string, { name }: Form): string {
  return `snapshots ${name} ${namespaceKey}`
}
