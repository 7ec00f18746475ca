import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { jsonOutput, terminalOutput, toEntry } from './start.output.ts'

const facts = {
  url: 'http://localhost:8080',
  token: 'svc_secret',
  hasInterface: true,
  isTokenRequired: true,
  hasDemo: false,
  hasSharedCache: false,
  dataDirectory: './.data',
  logFile: './.data/server.log',
  tookMs: 1940.3,
}

t.test('as JSON, every line is an object and the services’ own pass unchanged', async (t) => {
  const stream = new PassThrough({ encoding: 'utf8' })
  const output = jsonOutput(stream)
  const line = '{"level":"warn","service":"auth","client_token":"svc_secret"}'
  output.step('PostgreSQL is ready', 'data created', 912.4)
  output.warn('auth was ended by SIGKILL; starting it again in 50 ms')
  output.pass('auth', line)
  output.pass('auth', 'Error: something\u0007')
  output.ready(facts)
  const lines = String(stream.read()).trim().split('\n')
  const entries = lines.map((text) => JSON.parse(text))
  t.match(entries, [
    { level: 'info', service: 'local', msg: 'PostgreSQL is ready', tookMs: 912 },
    { level: 'warn', msg: /SIGKILL/ },
    { client_token: 'svc_secret' },
    { level: 'error', service: 'auth', msg: 'Error: something\u0007' },
    { level: 'info', msg: 'ready', url: 'http://localhost:8080', tookMs: 1940 },
  ])
  t.equal(lines[2], line)
  t.equal(JSON.stringify(entries).split('svc_secret').length - 1, 1, 'the token is shown once')
})

t.test('on a terminal, what the services write goes to the file', async (t) => {
  const stream = new PassThrough({ encoding: 'utf8' })
  const path = join(t.testdir({}), 'server.log')
  const output = terminalOutput(stream, path)
  output.pass('auth', '{"level":"info","msg":"listening"}')
  output.step('PostgreSQL is ready', 'data created', 912.4)
  output.warn('PostgreSQL ended; starting it again')
  const text = String(stream.read())
  t.notMatch(text, 'listening')
  t.match(text, /\n {2}✔ PostgreSQL is ready +data created +0\.9 s\n/)
  t.match(text, '\n  ! PostgreSQL ended; starting it again\n')
  t.notMatch(text, '\u001b', 'no colour was asked for')
  t.ok(text.split('\n').every((line) => line.length <= 80))
  t.equal(readFileSync(path, 'utf8'), '{"level":"info","msg":"listening"}\n')
})

t.test('on a terminal, colours where they are wanted', async (t) => {
  const stream = new PassThrough({ encoding: 'utf8' })
  terminalOutput(Object.assign(stream, { isTTY: true }), '/dev/null').step('Done', '', 1)
  t.match(stream.read(), '\u001b[32m✔\u001b[39m')
})

t.test('makes a log line of anything that is none', async (t) => {
  for (const line of ['', 'text', '[1]', 'null', '"text"', '{']) {
    t.match(JSON.parse(toEntry('auth', line)), { level: 'error', service: 'auth', msg: line })
  }
})
