import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { timeUntil } from '../../support/load.ts'
import { hasConnection } from '../../support/process-stats.ts'
import { prepareLoad } from './known-callers.ts'

/** Tokens that expire at the same moment, unless the environment says less. */
const tokens = Number(process.env.CLEANUP_ROWS ?? 100_000)

/** How often the replica that deletes is killed, and how many tokens there are for each. */
const kills = Number(process.env.CLEANUP_KILLS ?? 20)
const tokensPerKill = 5000

const intervalMs = 1000

/** As is usual. */
const grace = '30 minutes'

/** How soon another replica goes on: within an interval, and a batch later. */
const takeoverMs = intervalMs + 200

/** How many times as long the slowest hundredth of the requests may take meanwhile. */
const slower = 1.5

const baselineMs = 10_000

t.test('four auth replicas delete expired tokens', { timeout: 900_000 }, async (t) => {
  const db = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: db.url,
    auths: 4,
    gateways: 2,
    envOf: {
      auth: { SVC_AUTHENTICATION_METHODS_TOKEN_CLEANUP_INTERVAL: `${intervalMs}ms` },
    },
  })
  const { during } = await prepareLoad(fleet)
  await db.query(`CREATE TABLE deleted (
    id text, expires_at timestamptz, at timestamptz DEFAULT clock_timestamp(), pid int DEFAULT pg_backend_pid())`)
  await db.query(`CREATE FUNCTION note_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.deleted (id, expires_at) SELECT id, expires_at FROM old;
    RETURN NULL;
  END $$`)
  await db.query(`CREATE TRIGGER note_deleted AFTER DELETE ON auth.authentications
    REFERENCING OLD TABLE AS old FOR EACH STATEMENT EXECUTE FUNCTION note_deleted()`)

  /** @param expiresAt SQL */
  const add = async (count: number, expiresAt: string) => {
    // In portions, each of which a statement has time for.
    for (let left = count; left > 0; left -= 5000) {
      await db.query(
        `INSERT INTO auth.authentications (method, token_hash, expires_at)
         SELECT 'METHOD_TOKEN', sha256(uuid_send(gen_random_uuid())), ${expiresAt}
           FROM generate_series(1, $1::int)`,
        [Math.min(left, 5000)],
      )
    }
  }
  const countOf = async (table: string, condition = 'true') => {
    const [row] = await db.query<{ count: number }>(
      `SELECT count(*) FROM ${table} WHERE ${condition}`,
    )
    return row?.count ?? Number.NaN
  }
  const isDue = `expires_at < now() - interval '${grace}'`
  const areDue = async () => {
    const [row] = await db.query<{ are: boolean }>(
      `SELECT EXISTS (SELECT FROM auth.authentications WHERE ${isDue}) AS are`,
    )
    return row?.are === true
  }
  /** @returns after how many milliseconds there are some, or none */
  const untilDue = (are: boolean) => timeUntil(async () => (await areDue()) === are, 120_000)
  const kept = 500
  let added = 0

  await t.test(`${tokens} at once`, async (t) => {
    // They stay: one that never expires, or expires later, or has expired too recently.
    await add(kept, 'NULL')
    await add(kept, `now() + interval '1 minute'`)
    await add(kept, `now() - interval '${grace}' + interval '1 hour'`)
    await during(() => sleep(baselineMs / 2))
    const usual = await during(() => sleep(baselineMs))
    const [row] = await db.query<{ at: string }>(
      `SELECT (now() + interval '30 seconds')::text AS at`,
    )
    await add(tokens, `timestamptz '${row?.at}' - interval '${grace}'`)
    added += tokens
    await untilDue(true)
    const meanwhile = await during(() => untilDue(false))
    const [usualMs, p99] = [usual.p99(), meanwhile.p99()]
    t.comment(`${JSON.stringify(meanwhile.outcomes)}; p99 ${p99} ms, usually ${usualMs} ms`)
    const failed = wrongOf(usual.outcomes) + wrongOf(meanwhile.outcomes)
    figure(t, 'R-16', `failed requests while ${tokens} are deleted`, { atMost: 0 }, failed)
    figure(t, 'R-16', 'p99 to the usual', { atMost: slower }, p99 / usualMs)
  })

  await t.test(`the replica that deletes is killed ${kills} times`, async (t) => {
    /** @returns the replica that deletes now, and the process of the server that does so for it */
    const findHolder = async () => {
      const [row] = await db.query<{ pid: number; port: number }>(
        `SELECT pid, client_port AS port FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE locktype = 'advisory'
            AND (classid::bigint << 32 | objid::bigint) = hashtextextended('auth.cleanup METHOD_TOKEN', 0)`,
      )
      if (row === undefined) return undefined
      const replica = fleet.auths.find((one) => hasConnection(one, row.port))
      return replica === undefined ? undefined : { replica, backend: row.pid }
    }
    let slowest = 0
    for (let killed = 0, tries = 0; killed < kills; tries += 1) {
      if (tries > 3 * kills) throw new Error('the cleanup is done before it is interrupted')
      await add(tokensPerKill, `now() - interval '${grace}' - interval '1 second'`)
      added += tokensPerKill
      let holder: Awaited<ReturnType<typeof findHolder>>
      while (holder === undefined && (await areDue())) holder = await findHolder()
      if (holder === undefined) continue
      await holder.replica.kill()
      const [row] = await db.query<{ at: string }>('SELECT clock_timestamp()::text AS at')
      const byAnother = `pid <> ${holder.backend} AND at > '${row?.at}'`
      const isInterrupted = await areDue()
      await untilDue(false)
      const [next] = await db.query<{ afterMs: number | null }>(
        `SELECT extract(epoch FROM min(at) - $1::timestamptz)::float8 * 1000 AS "afterMs"
           FROM deleted WHERE ${byAnother}`,
        [row?.at],
      )
      await holder.replica.restart()
      if (!isInterrupted) continue
      killed += 1
      slowest = Math.max(slowest, next?.afterMs ?? Number.NaN)
    }
    const bound = { atMost: takeoverMs, unit: 'ms' }
    figure(t, 'R-16', `another goes on in ${kills} kills after`, bound, slowest)
  })

  const deleted = await countOf('deleted')
  t.comment(`${added} tokens had expired, ${deleted} were deleted`)
  const early = await countOf('deleted', `at < expires_at + interval '${grace}'`)
  const present = await countOf('auth.authentications', `expires_at IS NULL OR NOT (${isDue})`)
  const [row] = await db.query<{ count: number }>('SELECT count(DISTINCT id) FROM deleted')
  figure(t, 'R-16', 'deleted before their time', { atMost: 0 }, early)
  figure(
    t,
    'R-16',
    'deleted other than once',
    { atMost: 0 },
    added - (row?.count ?? 0) + (deleted - added),
  )
  t.ok(present >= 3 * kept, `${present} others are kept`)
})
