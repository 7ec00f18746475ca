import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './stack.mjs'

/** Time between two requests, in milliseconds: 200 a second. */
const intervalMs = 5

/**
 * Sends the same request again and again, each on a connection of its own, while the work is done,
 * and for two seconds after it.
 *
 * @returns how many were sent, which failed and how, and over how many milliseconds
 */
export async function duringLoad(request, work) {
  const underWay = []
  const sending = setInterval(() => underWay.push(send(request)), intervalMs)
  try {
    await sleep(1000)
    await work()
    await sleep(2000)
  } finally {
    clearInterval(sending)
  }
  const failures = (await Promise.all(underWay)).filter(({ why }) => why !== undefined)
  const times = failures.map(({ at }) => at)
  const tookMs = times.length === 0 ? 0 : Math.round(Math.max(...times) - Math.min(...times))
  return { sent: underWay.length, failures: failures.map(({ why }) => why), tookMs }
}

async function send(request) {
  const at = performance.now()
  try {
    const { status, body } = await call(...request)
    return { at, why: status === 200 ? undefined : `${status} ${JSON.stringify(body)}` }
  } catch (error) {
    return { at, why: String(error.cause?.code ?? error.message) }
  }
}
