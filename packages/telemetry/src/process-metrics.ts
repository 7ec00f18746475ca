import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { observeCounter, observeGauge } from './metrics.ts'

/** Interval at which the delay of the event loop is measured, in milliseconds: a service that idles wakes for it. */
const resolutionMs = 100

/** Length of a window of the event loop, in milliseconds: the usual interval of scrapes. */
const windowMs = 15_000

/** Windows whose maximum is kept: a minute, the interval of OTLP, so that it misses no stall. */
const keptWindows = 4

/** Measures this process and its event loop. @returns what ends it */
export function measureProcess(): () => void {
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
  return measureEventLoop(monitorEventLoopDelay({ resolution: resolutionMs }))
}

/** Readers have intervals of their own, so none of them ends a window. */
function measureEventLoop(delay: ReturnType<typeof monitorEventLoopDelay>): () => void {
  delay.enable()
  let begin = performance.eventLoopUtilization()
  const present = () => ({
    p50: seconds(delay.percentile(50)),
    p99: seconds(delay.percentile(99)),
    max: seconds(delay.max),
    utilization: performance.eventLoopUtilization(begin).utilization,
  })
  const ended: ReturnType<typeof present>[] = []
  const timer = setInterval(() => {
    ended.unshift(present())
    ended.splice(keptWindows)
    delay.reset()
    begin = performance.eventLoopUtilization()
  }, windowMs).unref()
  const last = () => ended[0] ?? present()
  observeGauge('nodejs.eventloop.delay.p50', (result) => result.observe(last().p50))
  observeGauge('nodejs.eventloop.delay.p99', (result) => result.observe(last().p99))
  observeGauge('nodejs.eventloop.delay.max', (result) =>
    result.observe(Math.max(present().max, ...ended.map(({ max }) => max))),
  )
  observeGauge('nodejs.eventloop.utilization', (result) => result.observe(last().utilization))
  return () => {
    clearInterval(timer)
    delay.disable()
  }
}

function seconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(nanoseconds / 1e9 - resolutionMs / 1000, 0) : 0
}

/** @returns nothing where the system does not say */
function countFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
