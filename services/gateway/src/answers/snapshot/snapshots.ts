import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { EventLoopScheduler } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { NamespaceState, NamespaceView } from '../../replica/namespace-state.ts'
import type { Frame } from '../../streams/frame.ts'
import { type FlagListText, isSmall, toFlagListText, toFrame, wholeOf } from './flag-list-text.ts'
import { etagOf, type Form } from './form.ts'

/** Maximum bytes of the small snapshots that are kept, in all encodings. */
const maxCachedBytes = 64 * 2 ** 20

/** Higher levels take twice as long for little. */
export const gzipLevel = 3

const compress = promisify(gzip)

/** A namespace in one form as of one revision. */
export interface Snapshot {
  readonly namespaceKey: string
  readonly revision: number
  readonly etag: string
  readonly text: FlagListText
}

/** What is answered when there is no such namespace. */
export function emptySnapshot(namespaceKey: string): string {
  return around(namespaceKey).join('')
}

function around(namespaceKey: string): [head: string, tail: string] {
  return [`{"namespace":{"key":${JSON.stringify(namespaceKey)}},"flags":[`, ']}']
}

/** Makes each snapshot once for all clients that request it. */
export class Snapshots {
  readonly #scheduler: EventLoopScheduler
  /** Also those that turned out too large; a view is kept until its namespace changes. */
  readonly #texts = new WeakMap<NamespaceView, Map<Form, Promise<FlagListText>>>()
  readonly #bytes: LRUCache<string, Buffer, () => Promise<Buffer>>

  constructor(scheduler: EventLoopScheduler, maxBytes = maxCachedBytes) {
    this.#scheduler = scheduler
    this.#bytes = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ length }) => length,
      fetchMethod: (_key, _stale, { context: make }) => make(),
    })
  }

  /** Bytes that are kept. */
  get cachedBytes(): number {
    return this.#bytes.calculatedSize
  }

  /**
   * @returns a snapshot as of now, or a moment later
   * @throws {AppError} `invalid_argument` when it is too large
   */
  async get(state: NamespaceState, form: Form): Promise<Snapshot> {
    await this.#scheduler.runInSlices(state.flags.compileRest())
    const view = state.view()
    const { namespaceKey, revision } = view
    const texts = this.#texts.get(view) ?? new Map<Form, Promise<FlagListText>>()
    this.#texts.set(view, texts)
    const text =
      texts.get(form) ?? toFlagListText(view, form, around(namespaceKey), this.#scheduler)
    texts.set(form, text)
    return { namespaceKey, revision, etag: etagOf(namespaceKey, revision, form), text: await text }
  }

  /** All bytes of a small snapshot. */
  async bytesOf({ etag, text }: Snapshot, encoding: 'gzip' | 'identity'): Promise<Buffer> {
    return this.#bytes.forceFetch(`${etag} ${encoding}`, {
      context: async () => {
        const bytes = wholeOf(text)
        return encoding === 'gzip' ? compress(bytes, { level: gzipLevel }) : bytes
      },
    })
  }

  /** A snapshot as an event of a stream. */
  async frameOf({ etag, revision, text }: Snapshot): Promise<Frame> {
    const event = { id: String(revision), event: 'snapshot' }
    if (!isSmall(text)) return toFrame(text, event, this.#scheduler)
    const context = async () => wholeOf(text, event)
    return this.#bytes.forceFetch(`${etag} event`, { context })
  }
}
