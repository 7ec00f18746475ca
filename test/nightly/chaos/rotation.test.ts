import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { ofAnotherClient } from '../../support/clients.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { startLoad } from '../../support/load.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'
import { redisIsMissing, startRedis } from '../../support/redis.ts'

const requestsPerSecond = 500
const rotations = 6
const overlapMs = 5000

/** How long after its deadline an old secret may still be accepted, at most, in milliseconds. */
const lateMs = 1000

/** Whose secrets are changed one after the other, as those of a deployment are. */
const clients = 20

interface Rotated {
  readonly clientToken: string
  readonly authentication: { readonly id: string; readonly previousSecretExpiresAt?: string }
}

t.test('a token gets other secrets under load', { skip: redisIsMissing }, async (t) => {
  t.setTimeout(180_000)
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const { api, gateways, urls } = await startFleet(t, {
    redisUrl: redis.url,
    auths: 2,
    gateways: 2,
  })
  await createFlag(api)
  const created = await api('POST', '/auth/v1/method/token', { name: 'shop' })
  const { clientToken: first, authentication } = created.body as Rotated
  const question = JSON.stringify({ flagKey: 'on', entityId: 'e', context: {} })
  const requestWith = (clientToken: string) =>
    requestBytes('/evaluate/v1/boolean', question, {
      authorization: `Bearer ${clientToken}`,
      'content-type': 'application/json',
      ...ofAnotherClient(),
    })
  const connections = gateways.map(({ port }) => openRawClient(port))
  t.teardown(async () => {
    for (const connection of connections) connection.close()
  })

  const secrets = Array.from({ length: clients }, () => requestWith(first))
  let count = 0
  const load = startLoad(requestsPerSecond, async () => {
    count += 1
    const request = secrets[count % clients]
    const connection = connections[count % connections.length]
    if (request === undefined || connection === undefined) throw new Error('no connection')
    return String((await connection.send(request)).status)
  })

  /** @returns how long after its deadline a gateway last took a secret; before it, less than 0 */
  const lastTakenMs = async (url: string, clientToken: string, deadline: number) => {
    let takenAt = Number.NEGATIVE_INFINITY
    while (Date.now() < deadline + lateMs + 500) {
      const askedAt = Date.now()
      const { status } = await call(url, 'POST', '/evaluate/v1/boolean', question, {
        authorization: `Bearer ${clientToken}`,
      })
      if (status === 200) takenAt = askedAt
      else if (status !== 401) throw new Error(`evaluation answered ${status}`)
      await sleep(20)
    }
    return takenAt - deadline
  }

  const lastTaken: number[] = []
  let secret = first
  for (let i = 0; i < rotations; i += 1) {
    const path = `/auth/v1/tokens/${authentication.id}/rotate`
    const rotated = await api('POST', path, { overlap: `${overlapMs}ms` })
    t.equal(rotated.status, 200, rotated.text)
    const { clientToken, authentication: now } = rotated.body as Rotated
    const deadline = Date.parse(now.previousSecretExpiresAt ?? '')
    const probing = urls.map((url) => lastTakenMs(url, secret, deadline))
    for (const client of secrets.keys()) {
      await sleep(2000 / clients)
      secrets[client] = requestWith(clientToken)
    }
    lastTaken.push(...(await Promise.all(probing)))
    secret = clientToken
  }
  const { outcomes } = await load.stop()
  t.comment(`${rotations} rotations, answers by status: ${JSON.stringify(outcomes)}`)
  t.comment(`old secrets were last taken, in ms after their deadline: ${lastTaken.join(', ')}`)
  t.strictSame(
    Object.keys(outcomes),
    ['200'],
    'no client that changed the secret in time is refused',
  )
  t.ok((outcomes['200'] ?? 0) > requestsPerSecond * rotations * 5, `${outcomes['200']} requests`)
  t.ok(Math.max(...lastTaken) <= lateMs, `${Math.max(...lastTaken)} ms late at most`)
  t.ok(Math.min(...lastTaken) > -1000, `and not ${-Math.min(...lastTaken)} ms early`)
})
