import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { observeCounter, observeGauge } from './metrics.ts'

/** Interval at which the delay of the event loop is measured, in milliseconds: a service that idles wakes for it. */
const resolutionMs = 100

/** Measures this process and its event loop. */
export function measureProcess(): void {
  observeCounter('process.cpu.time', (result) => {
    const { user, system } = process.cpuUsage()
    result.observe(user / 1e6, { 'cpu.mode': 'user' })
    result.observe(system / 1e6, { 'cpu.mode': 'system' })
  })
  observeGauge('process.memory.usage', (result) => result.observe(process.memoryUsage.rss()))
  observeGauge('process.uptime', (result) => result.observe(process.uptime()))
  observeGauge('process.unix.file_descriptor.count', (result) => {
    const count = countFiles()
    if (count !== undefined) result.observe(count)
  })
  observeGauge('v8js.memory.heap.used', (result) =>
    result.observe(getHeapStatistics().used_heap_size),
  )
  observeGauge('v8js.memory.heap.limit', (result) =>
    result.observe(getHeapStatistics().heap_size_limit),
  )
  measureEventLoop(monitorEventLoopDelay({ resolution: resolutionMs }))
}

function measureEventLoop(delay: ReturnType<typeof monitorEventLoopDelay>): void {
  delay.enable()
  const seconds = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(nanoseconds / 1e9 - resolutionMs / 1000, 0) : 0
  observeGauge('nodejs.eventloop.delay.p50', (result) =>
    result.observe(seconds(delay.percentile(50))),
  )
  observeGauge('nodejs.eventloop.delay.p99', (result) =>
    result.observe(seconds(delay.percentile(99))),
  )
  observeGauge('nodejs.eventloop.delay.max', (result) => {
    result.observe(seconds(delay.max))
    // It is the last of them. The next reading is about the time since this one.
    delay.reset()
  })
  let last = performance.eventLoopUtilization()
  observeGauge('nodejs.eventloop.utilization', (result) => {
    const now = performance.eventLoopUtilization()
    result.observe(performance.eventLoopUtilization(now, last).utilization)
    last = now
  })
}

/** @returns nothing where the system does not say */
function countFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
