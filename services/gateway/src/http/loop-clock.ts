/** Where the event loop is. Times are in milliseconds. */
export interface LoopClock {
  now(): number
  /** Processor time of the thread. */
  cpu(): number
  /** Calls back when the present callback is done, with all that it has begun. */
  afterCallback(callback: () => void): void
  /** Calls back when all that has arrived by now was taken in. */
  afterTurn(callback: () => void): void
}

export const currentLoop: LoopClock = {
  now: () => performance.now(),
  cpu() {
    // Node.js 20 has only that of the process, which is a little more.
    const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process)
    return (user + system) / 1000
  },
  afterCallback: process.nextTick,
  afterTurn: setImmediate,
}
