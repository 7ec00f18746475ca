import type { Change } from '@svc/client/api'
import { useEffect } from 'react'
import { backgroundApi, backgroundHeader, baseUrl } from './api.ts'
import { connection, noteAnswer } from './connection.ts'
import { readEvents } from './event-stream.ts'
import { pause } from './pause.ts'
import { createStore, type Store, useStore } from './store.ts'

/** How a page gets changes: at once, by asking now and then, or not at this moment. */
export type LiveState = 'live' | 'polling' | 'off'

interface Live {
  readonly state: LiveState
  /** Changes of others that the page does not show yet, the oldest first. */
  readonly news: readonly Change[]
}

/** How often is asked where tabs cannot agree on one stream, in milliseconds. */
const pollMs = 15_000
/** How long a tab that is not seen keeps the stream, in milliseconds. */
const hiddenMs = 60_000
/** Waits before the stream is opened again, in milliseconds. */
const minRetryMs = 1000
const maxRetryMs = 30_000
/** Heartbeats come every fifteen seconds; a stream without one for this long is dead. */
const silenceMs = 40_000
/** Changes that are read at once, and that are kept until they are shown. */
const pageSize = 100
const maxNews = 500

/** What the tabs of a browser tell each other. */
type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'revision'; readonly revision: number }

/** The changes of a namespace, as long as a page of it is open. */
class Follower {
  readonly store: Store<Live> = createStore<Live>({ state: 'off', news: [] })
  readonly own = new Set<number>()
  readonly #namespaceKey: string
  readonly #name: string
  readonly #end = new AbortController()
  readonly #channel: BroadcastChannel | undefined
  #users = 0
  /** The last revision that is known here; nothing before the first answer. */
  #revision: number | undefined
  #leads: AbortController | undefined
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined
  #reading: Promise<void> = Promise.resolve()

  constructor(namespaceKey: string) {
    this.#namespaceKey = namespaceKey
    this.#name = `svc.live ${baseUrl} ${namespaceKey}`
    this.#channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(this.#name) : undefined
  }

  get #canShare(): boolean {
    return this.#channel !== undefined && 'locks' in navigator
  }

  enter(): void {
    if (this.#users++ > 0) return
    const { signal } = this.#end
    document.addEventListener('visibilitychange', () => this.#onVisibility(), { signal })
    if (this.#channel !== undefined)
      this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data)
    if (this.#canShare) {
      this.#apply()
      this.#tell({ kind: 'ask' })
    } else this.#poll()
  }

  /** @returns whether it has no users any more */
  leave(): boolean {
    if (--this.#users > 0) return false
    this.#end.abort()
    this.#leads?.abort()
    clearTimeout(this.#hiddenTimer)
    this.#channel?.close()
    return true
  }

  show(): void {
    this.store.set({ ...this.store.get(), news: [] })
  }

  noteOwn(revision: number): void {
    this.own.add(revision)
    const { news } = this.store.get()
    if (news.some((change) => change.revision === revision)) {
      this.store.set({
        ...this.store.get(),
        news: news.filter((change) => change.revision !== revision),
      })
    }
  }

  #onVisibility(): void {
    // Who polls has no stream to leave to other tabs.
    if (!this.#canShare) return
    clearTimeout(this.#hiddenTimer)
    if (document.hidden) {
      this.#hiddenTimer = setTimeout(() => {
        this.#leads?.abort()
        this.#leads = undefined
        this.#setState('off')
      }, hiddenMs)
    } else {
      this.#apply()
      // The others may have read on meanwhile.
      this.#tell({ kind: 'ask' })
    }
  }

  /** Waits for its turn to have the stream. */
  #apply(): void {
    if (this.#leads !== undefined || document.hidden) return
    const leads = new AbortController()
    this.#leads = leads
    navigator.locks
      .request(this.#name, { signal: leads.signal }, () => this.#lead(leads.signal))
      .catch(() => {})
  }

  async #lead(signal: AbortSignal): Promise<void> {
    let waitMs = minRetryMs
    while (!signal.aborted) {
      const openedAt = performance.now()
      await this.#stream(signal).catch(() => {})
      if (signal.aborted) break
      this.#announce('off')
      waitMs =
        performance.now() - openedAt > silenceMs ? minRetryMs : Math.min(waitMs * 2, maxRetryMs)
      await pause(waitMs * (0.5 + Math.random()), signal)
    }
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), silenceMs)
    try {
      const path = `/ofrep/v1/namespaces/${encodeURIComponent(this.#namespaceKey)}/events`
      const response = await fetch(baseUrl + path, {
        headers: { accept: 'text/event-stream', [backgroundHeader]: 'true' },
        signal: AbortSignal.any([signal, silence.signal]),
      }).catch((error: unknown) => {
        // A page that asks nothing else learns by this that the server is not there.
        if (!signal.aborted && !silence.signal.aborted) noteAnswer(0)
        throw error
      })
      // There may be too many streams: everything else works all the same.
      if (response.status !== 503) noteAnswer(response.status)
      if (!response.ok || response.body === null) return
      this.#announce('live')
      const body = response.body.pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            clearTimeout(timer)
            timer = setTimeout(() => silence.abort(), silenceMs)
            controller.enqueue(chunk)
          },
        }),
      )
      await readEvents(body, ({ id }) => {
        const revision = Number(id)
        if (id === '' || !Number.isSafeInteger(revision)) return
        this.#tell({ kind: 'revision', revision })
        this.#reach(revision)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  #poll(): void {
    this.#setState('polling')
    const timer = setInterval(() => {
      if (!document.hidden && connection.get().isOnline) this.#read()
    }, pollMs)
    this.#end.signal.addEventListener('abort', () => clearInterval(timer))
    this.#read()
  }

  #receive(message: Message): void {
    if (message.kind === 'revision') this.#reach(message.revision)
    else if (message.kind === 'state') this.#setState(message.state)
    else if (this.#leads !== undefined && this.store.get().state === 'live') {
      this.#tell({ kind: 'state', state: 'live' })
      if (this.#revision !== undefined) this.#tell({ kind: 'revision', revision: this.#revision })
    }
  }

  #announce(state: LiveState): void {
    this.#setState(state)
    this.#tell({ kind: 'state', state })
  }

  #tell(message: Message): void {
    if (!this.#end.signal.aborted) this.#channel?.postMessage(message)
  }

  #setState(state: LiveState): void {
    const now = this.store.get()
    if (now.state !== state) this.store.set({ ...now, state })
  }

  /** The namespace is at this revision. */
  #reach(revision: number): void {
    if (this.#revision === undefined) this.#revision = revision
    else if (revision > this.#revision) this.#read()
  }

  /** Reads the changes after the last one that is known, one read after the other. */
  #read(): void {
    this.#reading = this.#reading.then(() => this.#readNow()).catch(() => {})
  }

  async #readNow(): Promise<void> {
    const { signal } = this.#end
    const request = { namespaceKey: this.#namespaceKey, limit: pageSize }
    if (this.#revision === undefined) {
      const { changes } = await backgroundApi.changes.list({ ...request, limit: 1 }, { signal })
      this.#revision = changes[0]?.revision ?? 0
      return
    }
    while (!signal.aborted) {
      const { changes, nextPageToken } = await backgroundApi.changes.list(
        { ...request, after: this.#revision },
        { signal },
      )
      this.#revision = changes.at(-1)?.revision ?? this.#revision
      const fresh = changes.filter(
        ({ revision, items }) => !this.own.has(revision) && items.length > 0,
      )
      if (fresh.length > 0) {
        const now = this.store.get()
        this.store.set({ ...now, news: [...now.news, ...fresh].slice(-maxNews) })
      }
      if (nextPageToken === '') return
    }
  }
}

const followers = new Map<string, Follower>()

function followerOf(namespaceKey: string): Follower {
  const known = followers.get(namespaceKey)
  if (known !== undefined) return known
  const follower = new Follower(namespaceKey)
  followers.set(namespaceKey, follower)
  return follower
}

/** The revision is one that this page has made. */
export function noteOwnRevision(namespaceKey: string, revision: number): void {
  followers.get(namespaceKey)?.noteOwn(revision)
}

const nothing = createStore<Live>({ state: 'off', news: [] })

/** Follows a namespace while the component is there. Only the frame does, once for each page. */
export function useFollow(namespaceKey: string | undefined): void {
  useEffect(() => {
    if (namespaceKey === undefined) return
    const follower = followerOf(namespaceKey)
    follower.enter()
    return () => {
      if (follower.leave()) followers.delete(namespaceKey)
    }
  }, [namespaceKey])
}

/** What is known of a namespace that the frame follows. */
export function useLive(namespaceKey: string | undefined): Live & { readonly show: () => void } {
  const follower = namespaceKey === undefined ? undefined : followers.get(namespaceKey)
  const live = useStore(follower?.store ?? nothing)
  return { ...live, show: () => follower?.show() }
}
