import { unavailable } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { Fetch } from '../../outbound/outbound.ts'
import { RemoteDocument } from '../../outbound/remote-document.ts'

/** Maximum documents: metadata and keys of one provider, and those from before it moved them. */
const maxDocuments = 8
/** Minimum interval between fetches: changed keys are fetched when a signature names an unknown one. */
const minIntervalMs = 30_000
/** Maximum age of a document while the provider is unavailable. */
const maxAgeMs = 3_600_000
/** Maximum wait for a newer document, where the last one will do. */
const maxWaitMs = 2000
/** Maximum size of a document: far more than metadata or keys have. */
const maxBytes = 512 * 1024

/** The documents that a provider publishes, cached. They are the same for every login. */
export class PublishedDocuments {
  readonly #fetch: Fetch
  readonly #nowMs: () => number
  readonly #documents = new LRUCache<string, RemoteDocument<string>>({ max: maxDocuments })

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
    await document.refresh(minIntervalMs, document.value === undefined ? undefined : maxWaitMs)
    const text = document.value
    if (text === undefined) throw document.error ?? unreadable('it is too old')
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }

  #add(url: string): RemoteDocument<string> {
    const fetch = async () => readJson(await this.#fetch(url))
    const document = new RemoteDocument({ fetch, maxAgeMs, nowMs: this.#nowMs })
    this.#documents.set(url, document)
    return document
  }
}

/** @throws {AppError} for anything but JSON of a sensible size */
async function readJson(response: Response): Promise<string> {
  const text = await response.text()
  if (response.status !== 200) throw unreadable(`status ${response.status}`)
  if (text.length > maxBytes) throw unreadable(`more than ${maxBytes} bytes`)
  try {
    JSON.parse(text)
  } catch {
    throw unreadable('no JSON')
  }
  return text
}

function unreadable(reason: string) {
  const cause = new Error(`a document of the provider cannot be read: ${reason}`)
  return unavailable('a service that this one depends on is unavailable, try again', { cause })
}
