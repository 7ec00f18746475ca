import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './stack.mjs'

/** Requests per second: some are always under way, and a busy machine can send them. */
const rate = 50

/**
 * Sends the same request at a constant rate, each on a connection of its own, while the work is done,
 * and for two seconds after it.
 *
 * @returns how many were sent, which failed and how, and over how many milliseconds
 */
export async function duringLoad(request, work) {
  const failures = []
  const underWay = []
  const begunAt = performance.now()
  let isOver = false
  const sending = (async () => {
    while (!isOver) {
      const due = ((performance.now() - begunAt) / 1000) * rate
      while (underWay.length < due) underWay.push(send(request, failures))
      await sleep(5)
    }
  })()
  try {
    await sleep(1000)
    await work()
    await sleep(2000)
  } finally {
    isOver = true
    await sending
    await Promise.all(underWay)
  }
  const times = failures.map(({ at }) => at).sort((a, b) => a - b)
  const tookMs = times.length === 0 ? 0 : Math.round(times.at(-1) - times[0])
  return { sent: underWay.length, failures: failures.map(({ why }) => why), tookMs }
}

async function send(request, failures) {
  const at = performance.now()
  try {
    const { status, body } = await call(...request)
    if (status !== 200) failures.push({ at, why: `${status} ${JSON.stringify(body)}` })
  } catch (error) {
    failures.push({ at, why: String(error.cause?.code ?? error.message) })
  }
}
