import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Snapshot } from './snapshot.ts'

/** Snapshots get some twenty times smaller, those of random text two times. */
const maxBytes = 64 * 2 ** 20

/** Higher levels take twice as long for little. */
const level = 3

/** Below this, what is saved is less than a packet. */
export const minCompressedBytes = 1024

const compress = promisify(gzip)

/** Snapshots as they go to those who take gzip, made when first asked for, on another thread. */
export class CompressedSnapshots {
  readonly #held = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length,
  })
  readonly #underWay = new Map<string, Promise<Buffer>>()
  /** One after the other: the other cores are for others. */
  #last: Promise<unknown> = Promise.resolve()

  async get({ etag, body }: Snapshot): Promise<Buffer> {
    const held = this.#held.get(etag) ?? this.#underWay.get(etag)
    if (held !== undefined) return held
    const compressing = this.#last.then(() => compress(body, { level }))
    this.#last = compressing.catch(() => {})
    this.#underWay.set(etag, compressing)
    try {
      const compressed = await compressing
      this.#held.set(etag, compressed)
      return compressed
    } finally {
      this.#underWay.delete(etag)
    }
  }
}
