import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { EventLoopScheduler } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { NamespaceState, NamespaceView } from '../../replica/namespace-state.ts'
import type { Frame } from '../../streams/frame.ts'
import { type CopyText, isSmall, toCopyText, toFrame, wholeOf } from './copy-text.ts'
import type { Form } from './form.ts'

/** Maximum bytes of the small wholes that are kept, in all encodings. */
const maxCachedBytes = 64 * 2 ** 20

/** Higher levels take twice as long for little. */
export const gzipLevel = 3

const compress = promisify(gzip)

/** A namespace in one form as of one revision. */
export interface Whole {
  readonly form: Form
  readonly namespaceKey: string
  readonly revision: number
  readonly etag: string
  readonly text: CopyText
}

/** Makes each whole once for all clients that request it. */
export class Wholes {
  readonly #scheduler: EventLoopScheduler
  /** Also those that turned out too large; a view is kept until its namespace changes. */
  readonly #texts = new WeakMap<NamespaceView, Map<Form, Promise<CopyText>>>()
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
   * @returns a whole as of now, or a moment later
   * @throws {AppError} `invalid_argument` when it is too large
   */
  async get(state: NamespaceState, form: Form): Promise<Whole> {
    await this.#scheduler.runInSlices(state.flags.compileRest())
    const view = state.view()
    const { namespaceKey, revision } = view
    const texts = this.#texts.get(view) ?? new Map<Form, Promise<CopyText>>()
    this.#texts.set(view, texts)
    const text = texts.get(form) ?? toCopyText(form.wholeOf(view), this.#scheduler)
    texts.set(form, text)
    const etag = form.etagOf(namespaceKey, revision)
    return { form, namespaceKey, revision, etag, text: await text }
  }

  /** All bytes of a small whole. */
  async bytesOf(whole: Whole, encoding: 'gzip' | 'identity'): Promise<Buffer> {
    return this.#bytes.forceFetch(`${nameOf(whole)} ${encoding}`, {
      context: async () => {
        const bytes = wholeOf(whole.text)
        return encoding === 'gzip' ? compress(bytes, { level: gzipLevel }) : bytes
      },
    })
  }

  /** A whole as an event of a stream. */
  async frameOf(whole: Whole): Promise<Frame> {
    const { form, revision, text } = whole
    const event = { id: String(revision), event: form.wholeEvent }
    if (!isSmall(text)) return toFrame(text, event, this.#scheduler)
    const context = async () => wholeOf(text, event)
    return this.#bytes.forceFetch(`${nameOf(whole)} event`, { context })
  }
}

function nameOf({ form, namespaceKey, revision }: Whole): string {
  return `${form.name} ${namespaceKey} ${revision}`
}
