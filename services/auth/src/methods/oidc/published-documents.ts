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

/** The documents that a provider publishes, cached. They are the same for every login. */
export class PublishedDocuments {
  readonly #fetch: Fetch
  readonly #nowMs: (() => number) | undefined
  readonly #documents = new LRUCache<string, RemoteDocument<unknown>>({ max: maxDocuments })

  constructor(fetch: Fetch, nowMs?: () => number) {
    this.#fetch = fetch
    this.#nowMs = nowMs
  }

  /**
   * @returns JSON, at most an hour old
   * @throws {AppError} `unavailable`
   */
  async get(url: string): Promise<unknown> {
    const document = this.#documents.get(url) ?? this.#add(url)
    await document.refresh(minIntervalMs, document.value === undefined ? undefined : maxWaitMs)
    if (document.value === undefined) throw document.error ?? unreadable('it is too old')
    return document.value
  }

  #add(url: string): RemoteDocument<unknown> {
    const fetch = async () => readJson(await this.#fetch(url))
    const document = new RemoteDocument({ fetch, maxAgeMs, nowMs: this.#nowMs })
    this.#documents.set(url, document)
    return document
  }
}

async function readJson(response: Response): Promise<unknown> {
  if (response.status !== 200) throw unreadable(`status ${response.status}`)
  return response.json().catch(() => {
    throw unreadable('no JSON')
  })
}

function unreadable(reason: string) {
  const cause = new Error(`a document of the provider cannot be read: ${reason}`)
  return unavailable('a service that this one depends on is unavailable, try again', { cause })
}
