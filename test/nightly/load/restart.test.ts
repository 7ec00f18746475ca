import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import { loadDemo } from '@svc/local/demo'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { makeManyFlags, nameOfCopy } from '../../support/many-flags.ts'

/** From the start of a process until it is ready, in milliseconds. */
const limits = { gateway: 3000, resource: 10_000 }

/** How long a gateway may leave a probe without an answer while it takes everything in. */
const maxSilenceMs = 250

/** A flag with three variants, a rule for a segment, and a distribution to each of the variants. */
const many = {
  namespaceKeys: Array.from({ length: 100 }, (_, i) => `n${i}`),
  count: 1000,
  copied: ['theme-color'],
}

t.test('100 namespaces of 1,000 flags do not make a restart long', async (t) => {
  const db = await createTestDatabase(t)
  const fleet = await startFleet(t, { databaseUrl: db.url })
  const [gateway] = fleet.gateways
  const [resource] = fleet.resources
  if (gateway === undefined || resource === undefined) throw new Error('no fleet')
  await loadDemo(fleet.urls[0], fleet.token)
  await Promise.all([gateway.kill(), resource.kill()])
  await makeManyFlags(db, many)

  await t.test('of a resource replica, which is ready when it listens', async (t) => {
    const startedAt = performance.now()
    await resource.restart()
    const tookMs = Math.round(performance.now() - startedAt)
    t.comment(`${tookMs} ms`)
    t.ok(tookMs <= limits.resource)
  })

  await t.test('of a gateway', async (t) => {
    const startedAt = performance.now()
    await gateway.restart()
    const listensAfterMs = Math.round(performance.now() - startedAt)
    const silenceMs = await longestSilence(`${fleet.urls[0]}/readyz`)
    const tookMs = Math.round(performance.now() - startedAt)
    t.comment(`${tookMs} ms, of which ${listensAfterMs} until it listens`)
    t.comment(`a probe waited ${silenceMs} ms at most`)
    t.ok(tookMs <= limits.gateway)
    t.ok(silenceMs <= maxSilenceMs)
  })

  await t.test('and all of it is there', async (t) => {
    for (const namespaceKey of many.namespaceKeys) {
      const question = {
        namespaceKey,
        flagKey: nameOfCopy(many, many.count - 1),
        entityId: 'e',
        context: { country: 'FR' },
      }
      const { body } = await fleet.api('POST', '/evaluate/v1/variant', question)
      t.match(body, { match: true, segmentKeys: ['eu-customers'] })
    }
  })
})

/** Asks until the answer is 200. @returns how long an answer took at most, in milliseconds */
async function longestSilence(url: string): Promise<number> {
  for (let longestMs = 0; ; await sleep(2)) {
    const askedAt = performance.now()
    const answer = await fetch(url)
    await answer.body?.cancel()
    longestMs = Math.max(longestMs, performance.now() - askedAt)
    if (answer.ok) return Math.round(longestMs)
  }
}
