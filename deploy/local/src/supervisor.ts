import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, backoffMs } from '@svc/runtime'
import type { Child } from './child.ts'

/** A process that is started again whenever it ends. */
export interface Part {
  readonly name: string
  /**
   * Resolves when the process is ready. Ends it in order when the signal is aborted.
   *
   * @throws {AppError} `unavailable` when another attempt may help
   */
  start(signal: AbortSignal): Promise<Child>
}

export interface SupervisorEvents {
  readonly warn: (sentence: string) => void
  /** It is not started again. */
  readonly fail: (error: unknown) => void
}

export interface Supervised {
  readonly name: string
  /** Resolves when the process is ready for the first time. */
  readonly ready: Promise<void>
  /** Ends the process in order. */
  stop(): Promise<void>
}

/** Starts a process, and again with backoff whenever it has ended. */
export function supervise({ name, start }: Part, { warn, fail }: SupervisorEvents): Supervised {
  const stopping = new AbortController()
  const { signal } = stopping
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>()
  let wasReady = false

  /** @returns what to say of its end */
  async function runOnce(isLast: boolean): Promise<string> {
    try {
      const child = await start(signal)
      wasReady = true
      setReady()
      const { how } = await child.ended
      return `${name} ${how}`
    } catch (error) {
      const mayPass = error instanceof AppError && error.code === 'unavailable'
      if (!mayPass || (isLast && !wasReady)) throw error
      return error.message
    }
  }

  async function keepRunning(): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const startedAt = performance.now()
      const sentence = await runOnce(attempt + 1 >= maxFirstAttempts)
      if (signal.aborted) return
      if (performance.now() - startedAt > settledMs) attempt = 0
      const delayMs = Math.round(backoffMs(attempt))
      warn(`${sentence}; starting it again in ${delayMs} ms`)
      await sleep(delayMs, undefined, { signal }).catch(() => {})
    }
  }

  const done = keepRunning().catch((error: unknown) => {
    if (!signal.aborted) fail(error)
  })
  return {
    name,
    ready,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

/** Another program may have taken its port, which passes; hardly anything else does. */
const maxFirstAttempts = 3

/** A process that ran this long did not fail at its start: the backoff begins anew. */
const settledMs = 10_000
