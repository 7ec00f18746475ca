import { Worker } from 'node:worker_threads'
import { type ClockState, clockMs, readPause, stateOf } from './running-clock.state.ts'

let state: ClockState | undefined

/**
 * Milliseconds by a clock that stands still while the machine does: of a limit for a service, the time
 * in which a shared machine runs nothing of ours is not a part. Everything else is, a busy processor
 * as well. Runs from the first call.
 */
export function runningNow(): number {
  state ??= startTicking()
  const now = clockMs()
  return now - state.stoodStillMs - readPause(state, now)
}

/** How long the machine has stood still since the clock began to run, in milliseconds. */
export function stoodStillMs(): number {
  return Math.round(state?.stoodStillMs ?? 0)
}

function startTicking(): ClockState {
  const shared = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)
  const ticking = new Worker(new URL('./running-clock.ticks.js', import.meta.url), {
    workerData: shared,
  })
  ticking.unref()
  return stateOf(shared)
}
