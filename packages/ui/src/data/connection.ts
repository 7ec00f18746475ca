import { createStore, useStore } from './store.ts'

/** Whether the server answers, and whether the session still stands. */
export interface Connection {
  readonly isOnline: boolean
  /** When the server last answered, in milliseconds since 1970. */
  readonly lastAnswerAt: number
  /** The service refuses the credential that it took before. */
  readonly hasSessionEnded: boolean
}

const store = createStore<Connection>({
  isOnline: true,
  lastAnswerAt: Date.now(),
  hasSessionEnded: false,
})

/** Without an answer, and answers of a proxy that has none. */
const unreachable: ReadonlySet<number> = new Set([0, 502, 503, 504])

let isSignedIn = false

/** @param status that of an answer; 0 when there was none */
export function noteAnswer(status: number): void {
  const now = store.get()
  const isOnline = !unreachable.has(status)
  store.set({
    isOnline,
    lastAnswerAt: isOnline ? Date.now() : now.lastAnswerAt,
    hasSessionEnded: now.hasSessionEnded || (isSignedIn && status === 401),
  })
}

/** Whether there is a session, so that a refusal means that the session has ended. */
export function noteSignedIn(isIn: boolean): void {
  isSignedIn = isIn
  if (isIn) store.set({ ...store.get(), hasSessionEnded: false })
}

export function useConnection(): Connection {
  return useStore(store)
}

export const connection = store
