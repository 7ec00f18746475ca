import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import type { Answer } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const bulk = '/ofrep/v1/evaluate/flags'
const alice = { targetingKey: 'alice' }

/** None may take two seconds, also on a slow machine. */
const flagsPerStatement = 500

t.test('OFREP in a namespace of many flags', async (t) => {
  const { api, databaseUrl } = await startStack(t)
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const db = openDatabase(databaseUrl, { name: 'test', maxConnections: 1, log })
  t.teardown(() => db.close())
  await api('POST', '/api/v1/namespaces', { key: 'large', name: 'Large' })
  const count = 5000
  await db.transaction(async (tx) => {
    const [changed] = await tx.query<{ revision: number }>(
      `UPDATE resource.namespaces SET revision = nextval('resource.revisions')
        WHERE key = 'large' RETURNING revision`,
    )
    for (let first = 0; first < count; first += flagsPerStatement) {
      await tx.query(
        `INSERT INTO resource.flags (namespace_key, key, type, name, enabled, revision, created_at)
         SELECT 'large', 'flag-' || n, 'BOOLEAN_FLAG_TYPE', 'F', n % 2 = 0, $1,
                now() + n * interval '1 microsecond'
           FROM generate_series($2::int, $3::int) AS n`,
        [changed?.revision, first, first + flagsPerStatement - 1],
      )
    }
  })
  const ask = (headers = {}) =>
    api('POST', bulk, { context: alice }, { 'X-Svc-Namespace': 'large', ...headers })
  const flagsIn = ({ body }: Answer) => (body as { flags: { key: string; value: boolean }[] }).flags
  let answer = await ask()
  for (const deadline = Date.now() + 5000; flagsIn(answer).length === 0; answer = await ask()) {
    if (Date.now() > deadline) throw new Error('the flags did not come')
    await sleep(20)
  }
  t.strictSame(
    flagsIn(answer).map(({ key, value }) => [key, value]),
    Array.from({ length: count }, (_, n) => [`flag-${n}`, n % 2 === 0]),
  )
  const etag = answer.headers.get('etag') ?? ''
  t.equal((await ask({ 'if-none-match': etag })).status, 304)

  // While changes come all the time, there is an answer all the same, and a whole one.
  const path = '/api/v1/namespaces/large/flags'
  let isChanging = true
  const changing = (async () => {
    for (let n = 0; isChanging; n++) {
      await api('PUT', `${path}/flag-0`, { name: 'F', enabled: n % 2 === 0 })
    }
  })()
  for (let i = 0; i < 10; i++) t.equal(flagsIn(await ask()).length, count)
  isChanging = false
  await changing
})
