import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startServiceProcess } from '../support/service-process.ts'

t.test('the first token', async (t) => {
  const database = await createTestDatabase(t)
  const env = { SVC_DB_URL: database.url, SVC_AUTH_LISTEN: '127.0.0.1:0' }
  const tokens = () =>
    database.query<{ name: string }>(
      `SELECT metadata ->> 'io.svc.auth.token.name' AS name FROM auth.authentications`,
    )
  const start = () => startServiceProcess(t, 'auth', env)
  const withToken = (lines: readonly object[]) => lines.filter((line) => 'client_token' in line)

  await t.test('is made once by eight processes on an empty database', async (t) => {
    const processes = await Promise.all(Array.from({ length: 8 }, start))
    const said = processes.flatMap(({ lines }) => withToken(lines))
    t.match(said, [{ name: 'initial_bootstrap_token', client_token: /^svc_/ }])
    t.equal(said.length, 1)
    t.strictSame(await tokens(), [{ name: 'initial_bootstrap_token' }])
    await Promise.all(processes.map(({ kill }) => kill('SIGTERM')))
  })

  await t.test('is the same one after twenty restarts, and not said again', async (t) => {
    for (let i = 0; i < 20; i++) {
      const process = await start()
      await process.kill(i % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
      t.strictSame(withToken(process.lines), [])
    }
    t.strictSame(await tokens(), [{ name: 'initial_bootstrap_token' }])
  })
})
