import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createTestDatabase } from '@svc/database/testing'
import t, { type Test } from 'tap'
import { internalEnv } from './auth.test.support.ts'

// Each starts a real process, which takes a second or two of a processor.
t.setTimeout(120_000)

const main = fileURLToPath(new URL('main.js', import.meta.url))

const usualEnv = { SVC_AUTH_LISTEN: '127.0.0.1:0', SVC_SERVER_DRAIN: '0s' }

interface Line {
  readonly msg?: string
  readonly level?: string
  readonly client_token?: string
}

function startProcess(t: Test, env: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, [main, ...words], {
    env: { PATH: process.env.PATH, ...usualEnv, ...internalEnv, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  return { child, output: readOutput(child), ended: once(child, 'close') }
}

async function readOutput(child: ChildProcess): Promise<Line[]> {
  let text = ''
  for await (const chunk of child.stdout ?? []) text += chunk
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

t.test('eight that start on an empty database make one token and log it once', async (t) => {
  const { url } = await createTestDatabase(t)
  const round = async (count: number) => {
    const processes = Array.from({ length: count }, () => startProcess(t, { SVC_DB_URL: url }))
    const ready = await Promise.all(processes.map(({ child }) => once(child, 'message')))
    for (const [message] of ready) t.match(message, { ready: true, port: Number })
    for (const { child } of processes) child.kill('SIGTERM')
    const codes = await Promise.all(processes.map(({ ended }) => ended.then(([code]) => code)))
    t.ok(codes.every((code) => code === 0))
    const lines = (await Promise.all(processes.map(({ output }) => output))).flat()
    return lines.filter((line) => line.client_token !== undefined)
  }
  t.equal((await round(8)).length, 1)
  t.strictSame(await round(2), [], 'and later starts make none')
})

t.test('the migrations can be run on their own', async (t) => {
  const db = await createTestDatabase(t)
  const { ended } = startProcess(t, { SVC_DB_URL: db.url }, 'migrate')
  t.strictSame(await ended, [0, null])
  t.strictSame(await db.query('SELECT * FROM auth.authentications'), [], 'no token is made by it')
  const later = startProcess(t, { SVC_DB_URL: db.url, SVC_DB_AUTO_MIGRATE: 'false' })
  t.match(await once(later.child, 'message'), [{ ready: true }])
})

t.test('without a database it says what is missing', async (t) => {
  const { output, ended } = startProcess(t, {})
  t.strictSame(await ended, [2, null])
  t.match((await output).at(-1), { level: 'fatal', msg: /^db\.url is missing\./ })
})

t.test('a database that refuses the login is reported in one sentence', async (t) => {
  const { url } = await createTestDatabase(t)
  const wrong = new URL(url)
  wrong.pathname = '/there_is_none'
  const { output, ended } = startProcess(t, { SVC_DB_URL: wrong.href })
  t.strictSame(await ended, [1, null])
  const last = (await output).at(-1)
  t.match(last, { level: 'fatal', msg: /refuses the connection: database .* does not exist\.$/ })
  t.notMatch(JSON.stringify(last), wrong.password)
})
