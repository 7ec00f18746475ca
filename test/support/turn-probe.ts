import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from './service-process.ts'

/**
 * Measures the processor time of each turn of the event loop between two SIGWINCH, and logs the longest.
 * Time in which the thread waits for a processor does not count.
 */
const code = `
  let isOn = false, longest = 0, last = 0
  const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  const tick = () => {
    if (!isOn) return
    const now = used()
    longest = Math.max(longest, now - last)
    last = now
    setImmediate(tick)
  }
  process.on('SIGWINCH', () => {
    isOn = !isOn
    if (isOn) { longest = 0; last = used(); setImmediate(tick); console.log('{"probe":"on"}') }
    else console.log(JSON.stringify({ probe: 'off', longestTurnMs: longest }))
  })`

/** For `NODE_OPTIONS` of a service whose turns are to be measured. */
export const turnProbe = `--import "data:text/javascript,${encodeURIComponent(code)}"`

/** @returns the longest turn of the service's event loop during the work, in milliseconds */
export async function longestTurnOf(
  { pid, lines }: ServiceProcess,
  work: () => Promise<unknown>,
): Promise<number> {
  const signal = async (answer: string) => {
    const answers = () => lines.filter(({ probe }) => probe === answer)
    const before = answers().length
    process.kill(pid, 'SIGWINCH')
    while (answers().length === before) await sleep(5)
    return answers().at(-1)
  }
  // Two signals to a process that waits for a processor would arrive as one.
  await signal('on')
  await work()
  return Number((await signal('off'))?.longestTurnMs)
}
