import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createTestDatabase } from '@svc/database/testing'
import { findFreePort } from '@svc/local/ports'
import t from 'tap'
import { launch } from './launcher.ts'

t.test('does not start', async (t) => {
  const data = join(t.testdir({}), 'data')
  const taken = await findFreePort()
  const server = createServer().listen(taken, '127.0.0.1')
  t.teardown(() => server.close())
  const wrongPassword = new URL((await createTestDatabase(t)).url)
  wrongPassword.password = 'hunter2'
  const silent = `postgres://svc:hunter2@127.0.0.1:${await findFreePort()}/svc`
  const refusals = {
    'with settings that cannot be meant': {
      env: { SVC_LOG_LEVEL: 'loud', SVC_AUTHENTIFICATION_REQUIRED: 'true' },
      sentence: /^SVC_AUTHENTIFICATION_REQUIRED .*\nSVC_LOG_LEVEL .*\n$/,
      exitCode: 2,
    },
    'with an option that it does not have': {
      args: ['--prot', '80'],
      sentence: /^Unknown option '--prot'\. See: npm start -- --help\n$/,
      exitCode: 2,
    },
    'on a port in use': {
      args: ['--port', String(taken), '--fresh'],
      sentence:
        /^Port \d+ is in use\. Choose another with --port \d+ or server\.http_port, or stop what uses it\.\n$/,
    },
    'with a database that does not answer': {
      env: { SVC_DB_URL: silent },
      sentence:
        /^Can't reach PostgreSQL at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Set SVC_DB_URL if it is elsewhere\.\n$/,
    },
    'with several databases that do not answer': {
      env: { SVC_DB_URL: silent.replace(/\/svc$/, `,[::1]:${await findFreePort()}/svc`) },
      sentence:
        /^Can't reach PostgreSQL at 127\.0\.0\.1:\d+ \(ECONNREFUSED\) or \[::1\]:\d+ \(\w+\)\. Set SVC_DB_URL if it is elsewhere\.\n$/,
    },
    'with a database that does not let it in': {
      env: { SVC_DB_URL: wrongPassword.href },
      sentence: /^\w+ does not start: PostgreSQL at \S+ refuses the connection: .+\n$/,
    },
  }
  for (const [name, refusal] of Object.entries(refusals)) {
    const {
      args = ['--port', '0'],
      env = {},
      sentence,
      exitCode = 1,
    } = {
      ...{ args: undefined, env: undefined, exitCode: undefined },
      ...refusal,
    }
    const launched = launch(t, ['--data', data, ...args], env)
    t.equal((await launched.ended()).exitCode, exitCode, name)
    t.match(launched.errors(), sentence)
    t.notMatch(launched.errors() + launched.output(), 'hunter2')
    if (exitCode === 2) t.notOk(existsSync(data))
  }
})
