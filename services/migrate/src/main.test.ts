import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase, withSession } from '@svc/database/testing'
import t from 'tap'

// Each starts a process.
t.setTimeout(120_000)

const program = fileURLToPath(new URL('../bin/svc-migrate', import.meta.url))

function start(db: Pick<TestDatabase, 'url'>, ...words: string[]) {
  return spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH, SVC_DB_URL: db.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function run(db: Pick<TestDatabase, 'url'>, ...words: string[]) {
  const child = start(db, ...words)
  const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { output, exitCode }
}

async function schemasOf(db: TestDatabase): Promise<string[]> {
  const rows = await db.query<{ schema: string }>(
    `SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'migrations' ORDER BY 1`,
  )
  return rows.map(({ schema }) => schema)
}

t.test('migrates the schema that is named, and both without a name', async (t) => {
  const db = await createTestDatabase(t)
  t.match(await run(db, 'resource'), {
    exitCode: 0,
    output: /"schema":"resource","applied":\["0001_/,
  })
  t.strictSame(await schemasOf(db), ['resource'])
  t.match(await run(db), { exitCode: 0, output: /"schema":"auth","applied":\["0001_/ })
  t.strictSame(await schemasOf(db), ['auth', 'resource'])

  await t.test('and changes nothing where all is done', async (t) => {
    const { exitCode, output } = await run(db)
    t.equal(exitCode, 0)
    t.notMatch(output, 'applied')
  })
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`a ${signal} before it is done is a failure`, async (t) => {
    const db = await createTestDatabase(t)
    const key = createHash('sha256').update('migrations of resource').digest().readUIntBE(0, 6)
    await withSession(db.url, async (other) => {
      await other.query('SELECT pg_advisory_lock($1)', [key])
      const child = start(db, 'resource')
      const ended = once(child, 'close')
      const lines: Record<string, unknown>[] = []
      for await (const line of createInterface(child.stdout)) {
        lines.push(JSON.parse(line))
        if (/^Another process is migrating/.test(String(lines.at(-1)?.msg))) child.kill(signal)
      }
      t.strictSame(await ended, [1, null])
      t.match(lines.at(-1), { level: 'error', msg: 'ended before it was done', signal })
      t.notOk(lines.some(({ msg }) => msg === 'ended'))
    })
    t.strictSame(await schemasOf(db), [])
  })
}

t.test('what another program would do is no command', async (t) => {
  t.match(await run({ url: 'postgres://svc@127.0.0.1:1/svc' }, 'serve'), { exitCode: 2 })
})
