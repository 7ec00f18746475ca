import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { Fetch } from './outbound.ts'

/** Of one issuer: its metadata, its keys, and those that it had before it moved them. */
const maxDocuments = 8
/** Keys that change are asked for when a signature names one that is not known; not more often. */
const freshMs = 30_000
/** How long the last good answer is used while there is no other. */
const maxStaleMs = 3_600_000
const firstRetryMs = 5000
const longestRetryMs = 60_000
/** How long to wait for another answer where the last one may do. */
const patienceMs = 2000
/** Far more than metadata or keys have. */
const maxBytes = 512 * 1024

interface Document {
  text: string | undefined
  readAtMs: number
  triedAtMs: number
  failures: number
  /** What went wrong last, as long as nothing has come since. */
  fault: unknown
  reading: Promise<void> | undefined
}

/**
 * What an issuer publishes, which is the same for everyone. It is asked for when it is needed, and
 * seldom enough that an issuer in trouble is not made worse: while it fails, once in five seconds at
 * first and once in a minute later.
 */
export class Documents {
  readonly #fetch: Fetch
  readonly #nowMs: () => number
  readonly #documents = new LRUCache<string, Document>({ max: maxDocuments })

  constructor(fetch: Fetch, nowMs: () => number = () => performance.now()) {
    this.#fetch = fetch
    this.#nowMs = nowMs
  }

  /**
   * @returns JSON, at most an hour old
   * @throws {AppError} `unavailable`
   */
  async get(url: string): Promise<Response> {
    const document = this.#documents.get(url) ?? this.#add(url)
    if (this.#isDue(document)) {
      document.reading ??= this.#read(url, document).finally(() => {
        document.reading = undefined
      })
      const { reading, text } = document
      await (text === undefined ? reading : Promise.race([reading, sleep(patienceMs)]))
    }
    const { text, readAtMs } = document
    if (text === undefined || this.#nowMs() - readAtMs > maxStaleMs) throw document.fault ?? away()
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }

  #add(url: string): Document {
    const document: Document = {
      text: undefined,
      readAtMs: Number.NEGATIVE_INFINITY,
      triedAtMs: Number.NEGATIVE_INFINITY,
      failures: 0,
      fault: undefined,
      reading: undefined,
    }
    this.#documents.set(url, document)
    return document
  }

  #isDue({ failures, triedAtMs }: Document): boolean {
    const backoffMs = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs)
    return this.#nowMs() - triedAtMs >= (failures > 0 ? backoffMs : freshMs)
  }

  async #read(url: string, document: Document): Promise<void> {
    try {
      document.text = await readJson(await this.#fetch(url))
      document.readAtMs = this.#nowMs()
      document.failures = 0
      document.fault = undefined
    } catch (error) {
      document.failures += 1
      document.fault = error
      if (document.text === undefined) throw error
    } finally {
      document.triedAtMs = this.#nowMs()
    }
  }
}

/** @throws when it is anything but JSON of a sensible size */
async function readJson(response: Response): Promise<string> {
  const text = await response.text()
  if (response.status !== 200) throw away(`status ${response.status}`)
  if (text.length > maxBytes) throw away(`more than ${maxBytes} bytes`)
  try {
    JSON.parse(text)
  } catch {
    throw away('no JSON')
  }
  return text
}

function away(reason = 'nothing to use') {
  const cause = new Error(`what an issuer publishes cannot be read: ${reason}`)
  return unavailable('a service that this one depends on is unavailable, try again', { cause })
}
