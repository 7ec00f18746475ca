import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openVectors, vectors } from './vectors.test.support.ts'

/** Maximum processor time of a token, in milliseconds. */
const maxMs = 5

/** Or this many times what a good one of its algorithm takes: ES512 alone takes a slow machine longer. */
const maxTimesGood = 4

/** Attempts at one that takes more: compilation and garbage collection count as well. */
const attempts = 20
const pauseMs = 5

t.test('no token, however it is made, takes much processor time', async (t) => {
  const { jwt } = await openVectors(t)
  const fastestMs = async (token: string, limitMs: number) => {
    let fastest = Number.POSITIVE_INFINITY
    for (let i = 0; i < attempts && fastest >= limitMs; i++) {
      if (i > 0) await sleep(pauseMs)
      const before = process.cpuUsage()
      await jwt.verify(token).catch(() => {})
      const { user, system } = process.cpuUsage(before)
      fastest = Math.min(fastest, (user + system) / 1000)
    }
    return fastest
  }
  for (const { algorithm, vectors: ofAlgorithm } of vectors) {
    const good = ofAlgorithm.find(({ expected }) => expected === 'accepted')?.token ?? ''
    const limitMs = Math.max(maxMs, maxTimesGood * (await fastestMs(good, 0)))
    let slowestMs = 0
    for (const { name, token } of ofAlgorithm) {
      const tookMs = await fastestMs(token, limitMs)
      if (tookMs >= limitMs) t.fail(`${algorithm}, ${name}: ${tookMs} ms`)
      slowestMs = Math.max(slowestMs, tookMs)
    }
    t.pass(`${algorithm}: the slowest took ${slowestMs.toFixed(2)} ms`)
  }
})
