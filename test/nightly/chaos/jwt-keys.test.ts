import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { drips, floods, hangs, hangsUp, type ServerFault, says } from '../../support/faults.ts'
import { figure } from '../../support/figures.ts'
import { call } from '../../support/http.ts'
import { startJwtIssuer } from '../../support/jwt-issuer.ts'
import { startStack } from '../../support/stack.ts'

/** How long each fault lasts, in milliseconds. */
const faultMs = 15_000

/** Ways in which the issuer of a token can be unavailable. */
const faults: Readonly<Record<string, ServerFault>> = {
  fails: says(500, ''),
  hangs,
  'hangs up': hangsUp,
  'drips its keys': drips,
  'sends no end of keys': floods,
}

for (const [name, fault] of Object.entries(faults)) {
  t.test(`while an issuer ${name}, only its own tokens wait`, async (t) => {
    const well = await startJwtIssuer(t, 'well')
    const away = await startJwtIssuer(t, 'away')
    away.answer = (response, request) => fault(request, response)
    const { urls, token } = await startStack(t, { env: { ...well.env, ...away.env } })
    const get = async (authorization: string) => {
      const startedAt = performance.now()
      const path = '/api/v1/namespaces/default/flags'
      const { status } = await call(urls[0], 'GET', path, undefined, { authorization })
      return { status, tookMs: performance.now() - startedAt }
    }
    const endsAt = performance.now() + faultMs
    const repeat = async (work: () => Promise<void>, pauseMs: number) => {
      while (performance.now() < endsAt) {
        await work()
        await sleep(pauseMs)
      }
    }
    const others = { count: 0, failed: 0, slowestMs: 0 }
    const own = { count: 0, wrong: 0, slowestMs: 0 }
    const expectGood = async (authorization: string) => {
      const { status, tookMs } = await get(authorization)
      others.count += 1
      if (status !== 200) others.failed += 1
      others.slowestMs = Math.max(others.slowestMs, tookMs)
    }
    await Promise.all([
      repeat(() => expectGood(`Bearer ${token}`), 20),
      // Each is another token, so that none is remembered.
      repeat(async () => expectGood(`JWT ${await well.sign({ jti: String(others.count) })}`), 20),
      repeat(async () => {
        const { status, tookMs } = await get(`JWT ${await away.sign({ jti: String(own.count) })}`)
        own.count += 1
        if (status !== 503) own.wrong += 1
        own.slowestMs = Math.max(own.slowestMs, tookMs)
      }, 100),
    ])
    t.comment(
      `${others.count} other requests, ${others.failed} failed, the slowest took ` +
        `${Math.round(others.slowestMs)} ms; ${own.count} of its own, 503 in at most ` +
        `${Math.round(own.slowestMs)} ms; asked ${away.asked} times in ${faultMs / 1000} s`,
    )
    figure(t, 'R-23', `issuer ${name}: others failed`, { atMost: 0 }, others.failed)
    t.ok(others.count > 100)
    t.equal(own.wrong, 0)
    t.ok(own.count > 5)
    figure(t, 'R-23', `issuer ${name}: refused in`, { atMost: 6000, unit: 'ms' }, own.slowestMs)
    t.ok(away.asked >= 1 && away.asked <= 1 + faultMs / 5000)
    t.ok(well.asked <= 2, 'the other was not asked more often for that')
  })
}
