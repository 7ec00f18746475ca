import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, backoffMs } from '@svc/runtime'
import type { Child } from './processes.ts'

/** A process that is started again whenever it ends. */
export interface Part<T extends Child = Child> {
  readonly name: string
  /**
   * Resolves when the process is ready. Ends it in order when the signal is aborted.
   *
   * @throws {AppError} `unavailable` when another attempt may help
   */
  start(signal: AbortSignal): Promise<T>
}

/**
 * Starts a process, and again with backoff whenever it has ended.
 *
 * @param fail called when it is not started again
 */
export function supervise<T extends Child>(
  { name, start }: Part<T>,
  warn: (sentence: string) => void,
  fail: (error: unknown) => void,
) {
  const stopping = new AbortController()
  const { signal } = stopping
  const { promise: ready, resolve: setReady } = Promise.withResolvers<T>()
  let mayFail = true

  async function keepRunning(): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const startedAt = performance.now()
      let sentence: string
      try {
        const child = await start(signal)
        mayFail = false
        setReady(child)
        sentence = `${name} ${(await child.ended).how}`
      } catch (error) {
        const mayPass = error instanceof AppError && error.code === 'unavailable'
        if (!mayPass || (mayFail && attempt === maxFirstAttempts)) throw error
        sentence = error.message
      }
      if (signal.aborted) return
      if (performance.now() - startedAt > settledMs) attempt = 1
      const delayMs = Math.round(backoffMs(attempt - 1))
      warn(`${sentence}; starting it again in ${delayMs} ms`)
      await sleep(delayMs, undefined, { signal }).catch(() => {})
    }
  }

  const done = keepRunning().catch((error: unknown) => {
    if (!signal.aborted) fail(error)
  })
  return {
    /** Resolves when the process is ready for the first time. */
    ready,
    /** Ends the process in order. */
    async stop(): Promise<void> {
      stopping.abort()
      await done
    },
  }
}

/** Another program may have taken its port, which passes; hardly anything else does. */
const maxFirstAttempts = 3

/** A process that ran this long did not fail at its start: the backoff begins anew. */
const settledMs = 10_000
