import { workerData } from 'node:worker_threads'
import { clockMs, readPause, stateOf, tickMs } from './running-clock.state.ts'

const state = stateOf(workerData)

setInterval(() => {
  const now = clockMs()
  state.stoodStillMs += readPause(state, now)
  state.tickedAt = now
}, tickMs)
