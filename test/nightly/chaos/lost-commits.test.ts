import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { figure } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { startRelay } from '../../support/relay.ts'

/** How many connections break at a commit, unless the environment says less. */
const cuts = Number(process.env.COMMIT_CUTS ?? 1000)

/** The tag by which PostgreSQL says that a transaction is committed. */
const committed = Buffer.from('COMMIT\0')

const flags = '/api/v1/namespaces/default/flags'

/**
 * A way to a database that loses the answer to a commit, and the connection with it, when it is told to: the
 * service cannot know whether the write is done.
 */
async function startForgetful(t: Parameters<typeof startRelay>[0], databaseUrl: string) {
  const url = new URL(databaseUrl)
  const state = { isArmed: false, cut: 0 }
  const target = { host: url.hostname, port: Number(url.port) }
  const port = await startRelay(t, target, (far: Socket, near: Socket) => {
    const out = new PassThrough()
    far.on('data', (bytes: Buffer) => {
      if (state.isArmed && bytes.includes(committed)) {
        state.isArmed = false
        state.cut += 1
        near.resetAndDestroy()
        far.destroy()
      } else out.write(bytes)
    })
    far.on('end', () => out.end())
    return out
  })
  url.port = String(port)
  return { url: url.href, state }
}

t.test(`${cuts} connections break at a commit`, { timeout: 900_000 }, async (t) => {
  const database = await createTestDatabase(t)
  const way = await startForgetful(t, database.url)
  const { api } = await startFleet(t, {
    envOf: { resource: { SVC_DB_URL: way.url } },
    databaseUrl: database.url,
  })
  const statuses: Record<string, number> = {}
  const wrong: string[] = []
  for (let i = 0; i < cuts; i += 1) {
    const key = `flag-${i}`
    way.state.isArmed = true
    // As a client does that is told to try again: the key is the same, so it is done once.
    for (let tries = 0; tries < 20; tries += 1) {
      const { status } = await api('POST', flags, { key, name: key })
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 200 || status === 409) break
      if (status !== 503 && status !== 504) wrong.push(`${key}: ${status}`)
    }
    way.state.isArmed = false
  }
  const rows = await database.query<{ key: string }>(
    `SELECT key FROM resource.flags WHERE namespace_key = 'default' AND key LIKE 'flag-%'`,
  )
  const changes = await database.query<{ changes: number }>(
    `SELECT count(*)::int AS changes FROM resource.changes WHERE namespace_key = 'default'`,
  )
  t.comment(
    `${way.state.cut} cuts; answers ${JSON.stringify(statuses)}; ${JSON.stringify(changes)}`,
  )
  t.ok(way.state.cut >= cuts * 0.95, `${way.state.cut} commits were cut`)
  t.strictSame(wrong.slice(0, 5), [], 'what is not known to be done is answered 503 or 504')
  const kept = new Set(rows.map(({ key }) => key))
  figure(t, 'R-8', `writes lost of ${cuts}`, { atMost: 0 }, cuts - kept.size)
  const twice = (changes[0]?.changes ?? Number.NaN) - cuts
  figure(t, 'R-8', 'changes without a write, or written twice', { atMost: 0 }, Math.abs(twice))
})
