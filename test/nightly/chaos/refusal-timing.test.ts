import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createToken } from '../../support/api.ts'
import { ofAnotherClient } from '../../support/clients.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { quantile } from '../../support/load.ts'

/** Of each kind. */
const samples = 2000

/** How far the medians may be apart, in milliseconds. */
const limitMs = 1

/** Gateways know by themselves what was revoked in the last ten seconds. */
const forgottenMs = 11_000

t.test('the time of a refusal does not reveal whether a token ever was one', async (t) => {
  const { api, urls } = await startFleet(t)
  const revoke = async () => {
    const { clientToken, id } = await createToken(api)
    t.equal((await api('DELETE', `/auth/v1/tokens/${id}`)).status, 200)
    return clientToken
  }
  /** @returns how long it took, in milliseconds */
  const refusal = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, ...ofAnotherClient() }
    const startedAt = performance.now()
    const { status } = await call(urls[0], 'GET', '/auth/v1/self', undefined, headers)
    if (status !== 401) t.equal(status, 401)
    return performance.now() - startedAt
  }
  /** @param revokedToken asked for again and again, so that it can be one of a moment ago each time */
  const compare = async (revokedToken: () => Promise<string>) => {
    const tookMs = { unknown: [] as number[], revoked: [] as number[] }
    const unknownToken = randomBytes(24).toString('base64url')
    let revoked = ''
    for (let i = 0; i < samples; i++) {
      if (i % 200 === 0) revoked = await revokedToken()
      tookMs.unknown.push(await refusal(unknownToken))
      tookMs.revoked.push(await refusal(revoked))
    }
    const [unknown, known] = [quantile(tookMs.unknown, 0.5), quantile(tookMs.revoked, 0.5)]
    t.comment(`unknown ${unknown.toFixed(2)} ms, revoked ${known.toFixed(2)} ms (medians)`)
    t.ok(Math.abs(unknown - known) < limitMs, `${unknown} and ${known} ms`)
  }

  const old = await revoke()
  await sleep(forgottenMs)
  await compare(async () => old)
  await compare(revoke)
})
