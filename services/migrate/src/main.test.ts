import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@svc/database/testing'
import t from 'tap'

// Each starts a process.
t.setTimeout(120_000)

const program = fileURLToPath(new URL('../bin/svc-migrate', import.meta.url))

async function run(db: Pick<TestDatabase, 'url'>, ...words: string[]) {
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH, SVC_DB_URL: db.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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

t.test('what another program would do is no command', async (t) => {
  t.match(await run({ url: 'postgres://svc@127.0.0.1:1/svc' }, 'serve'), { exitCode: 2 })
})
