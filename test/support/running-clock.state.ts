/** What the thread that ticks shares with those who read the clock. */
export interface ClockState {
  /** 0 until it has begun. */
  tickedAt: number
  stoodStillMs: number
}

/** Two busy cores delay a thread that has nothing to do but this by less. */
const pauseMs = 60

export const tickMs = 10

/** The same in all threads. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export function stateOf(shared: SharedArrayBuffer): ClockState {
  const fields = new Float64Array(shared)
  return {
    get tickedAt() {
      return fields[0] ?? 0
    },
    set tickedAt(at) {
      fields[0] = at
    },
    get stoodStillMs() {
      return fields[1] ?? 0
    },
    set stoodStillMs(ms) {
      fields[1] = ms
    },
  }
}

/** How long the machine has stood still since the last tick, in milliseconds. */
export function readPause({ tickedAt }: ClockState, now: number): number {
  const lateMs = now - tickedAt - tickMs
  return tickedAt > 0 && lateMs > pauseMs ? lateMs : 0
}
