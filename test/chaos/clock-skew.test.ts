import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { clockAhead } from '../support/service-process.ts'

/** Longer than an assertion is good for, so that gateways have had to ask for another one. */
const writingMs = 6000

const cases = [
  { service: 'auth', minutes: -10 },
  { service: 'resource', minutes: 10 },
] as const

for (const { service, minutes } of cases) {
  t.test(`with the clock of ${service} ${minutes} minutes ahead`, async (t) => {
    const { url } = await createTestDatabase(t)
    const fleet = await startFleet(t, {
      databaseUrl: url,
      envOf: { [service]: { NODE_OPTIONS: clockAhead(minutes) } },
    })
    const [process] = service === 'auth' ? fleet.auths : fleet.resources
    const warned = process?.lines.find(({ skewMs }) => typeof skewMs === 'number')
    t.equal(Math.round(Number(warned?.skewMs) / 60_000), minutes, 'it says so')

    await t.test('flags are managed as ever', async (t) => {
      const until = performance.now() + writingMs
      for (let number = 0; performance.now() < until; number++) {
        const flag = { key: `flag-${number}`, name: 'A flag', type: 'BOOLEAN_FLAG_TYPE' }
        const answer = await fleet.api('POST', '/api/v1/namespaces/default/flags', flag)
        if (answer.status !== 200) t.strictSame(answer.body, {}, `write ${number}`)
        await sleep(250)
      }
      t.equal((await fleet.api('GET', '/api/v1/namespaces/default/flags')).status, 200)
    })

    await t.test('a token ends when it says', async (t) => {
      const expiresAt = Date.now() + 3000
      const made = await fleet.api('POST', '/auth/v1/method/token', {
        name: 'short',
        expiresAt: new Date(expiresAt).toISOString(),
      })
      t.equal(made.status, 200)
      const { clientToken } = made.body as { readonly clientToken: string }
      const headers = { authorization: `Bearer ${clientToken}` }
      const ask = async () =>
        (await call(fleet.urls[0], 'GET', '/auth/v1/self', undefined, headers)).status
      let lastAccepted = 0
      let firstRefused = 0
      while (firstRefused === 0 && Date.now() < expiresAt + 5000) {
        const askedAt = Date.now()
        if ((await ask()) === 200) lastAccepted = askedAt
        else firstRefused = askedAt
        await sleep(20)
      }
      t.ok(lastAccepted - expiresAt < 2000, `accepted ${lastAccepted - expiresAt} ms late`)
      t.ok(expiresAt - firstRefused < 2000, `refused ${expiresAt - firstRefused} ms early`)
      t.not(firstRefused, 0, 'it did end')
    })
  })
}
