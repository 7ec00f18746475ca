import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createTestDatabase } from '@svc/database/testing'
import { findFreePort, isListening } from '@svc/local/ports'
import t from 'tap'
import { launch } from './launcher.ts'

t.test('does not start', async (t) => {
  const data = join(t.testdir({}), 'data')
  const args = ['--port', '0', '--data', data]

  await t.test('on a port in use', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.teardown(() => server.close())
    const port = await new Promise<number>((resolve) =>
      server.once('listening', () => resolve((server.address() as { port: number }).port)),
    )
    const launched = launch(t, ['--port', String(port), '--data', data, '--fresh'])
    t.equal((await launched.ended()).exitCode, 1)
    const sentence =
      /^Port \d+ is in use\. Choose another with --port (\d+) or server\.http_port, or stop what uses it\.\n$/
    const [, instead] = sentence.exec(launched.errors()) ?? []
    t.equal(await isListening(Number(instead)), false)
    t.equal(launched.output(), '')
  })

  await t.test('with settings that cannot be meant', async (t) => {
    const env = { SVC_LOG_LEVEL: 'loud', SVC_AUTHENTIFICATION_REQUIRED: 'true' }
    const nowhere = join(data, 'none')
    const launched = launch(t, ['--data', nowhere], env)
    t.equal((await launched.ended()).exitCode, 2)
    t.match(launched.errors(), /^SVC_AUTHENTIFICATION_REQUIRED .*\nSVC_LOG_LEVEL .*\n$/)
    t.notOk(existsSync(nowhere))
  })

  await t.test('with a database that does not answer', async (t) => {
    const url = `postgres://svc:hunter2@127.0.0.1:${await findFreePort()}/svc`
    const launched = launch(t, args, { SVC_DB_URL: url })
    t.equal((await launched.ended()).exitCode, 1)
    t.match(
      launched.errors(),
      /^Can't reach PostgreSQL at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Set SVC_DB_URL if it is elsewhere\.\n$/,
    )
    t.notMatch(launched.errors() + launched.output(), 'hunter2')
  })

  await t.test('with a database that does not let it in', async (t) => {
    const database = await createTestDatabase(t)
    const url = new URL(database.url)
    url.password = 'hunter2'
    const launched = launch(t, args, { SVC_DB_URL: url.href })
    t.equal((await launched.ended()).exitCode, 1)
    t.match(launched.errors(), /does not start: PostgreSQL at \S+ refuses the connection: .+\n$/)
    t.equal(launched.errors().trim().split('\n').length, 1)
    t.notMatch(launched.errors() + launched.output(), 'hunter2')
  })

  await t.test('with an option that it does not have', async (t) => {
    const launched = launch(t, ['--prot', '80'])
    t.equal((await launched.ended()).exitCode, 2)
    t.match(launched.errors(), /^Unknown option '--prot'\. See: npm start -- --help\n$/)
  })
})
