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

/** @returns the JSON at a URL, at most an hour old. Throws `unavailable` */
export type PublishedDocuments = (url: string) => Promise<unknown>

/** The documents that a provider publishes, cached. They are the same for every login. */
export function publishedDocuments(fetch: Fetch, nowMs?: () => number): PublishedDocuments {
  const documents = new LRUCache<string, RemoteDocument<unknown>>({
    max: maxDocuments,
    memoMethod: (url) =>
      new RemoteDocument({ fetch: async () => readJson(await fetch(url)), maxAgeMs, nowMs }),
  })
  return async (url) => {
    const document = documents.memo(url)
    await document.refresh(minIntervalMs, document.value === undefined ? undefined : maxWaitMs)
    if (document.value === undefined) throw document.error ?? unreadable('it is too old')
    return document.value
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
