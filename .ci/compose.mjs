// Tests the stack of docker-compose.yml: from nothing, as a user does, with faults. Needs a container
// engine with Compose, and the base images.
//   node .ci/compose.mjs
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepsSchemasApart, renewsSecrets, restores } from './data.mjs'
import { idleShares } from './idle.mjs'
import { buildsImages, checkImages, checkNothingWritten, removeOwnImage } from './images.mjs'
import { observes } from './observability.mjs'
import { logsIn } from './profiles.mjs'
import { showsChanges } from './propagation.mjs'
import { losesNothing, restartsProxy, seesClients } from './proxy.mjs'
import {
  call,
  callGateway,
  compose,
  composeWith,
  containers,
  docker,
  inImage,
  inspect,
  leftovers,
  lines,
  port,
  run,
  services,
  startUp,
  takeDown,
  writeSettings,
} from './stack.mjs'
import { check, finish, tally, waitFor } from './tally.mjs'

/** What browsers send when an address is typed. */
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const flags = '/api/v1/namespaces/default/flags'
const flag = `${flags}/scaled`
const newFlag = (key) => ({ key, name: key, type: 'BOOLEAN_FLAG_TYPE' })
const evaluate = ['POST', '/evaluate/v1/boolean', { flagKey: 'scaled', entityId: 'user-42' }]
/** In seconds: two probes of each container, and jobs that run every few seconds. */
const restSeconds = 30

/** Far above the three of a quiet machine: on a busy one the same work takes longer. */
const restLimitPercent = 10

const directory = await mkdtemp(join(tmpdir(), 'svc-ci-'))
let token = ''

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () =>
    takeDown()
      .then(removeOwnImage)
      .finally(() => process.exit(1)),
  )
}
try {
  if (await builds()) {
    await publishesOnePort()
    await probes()
    await answers()
    await servesPages()
    await idles()
    await keepsSchemasApart()
    await seesClients(token)
    await takesSettings()
    await scales()
    await showsChanges(flag, 'scaled', token)
    await losesNothing([...evaluate, token])
    await survives()
    await restartsProxy([...evaluate, token])
    await restores(token, directory)
    await renewsSecrets(token)
    await logsIn()
    await observes(token)
    await checkNothingWritten()
  }
  if (tally.failed > 0) {
    for (const line of lines(await compose('logs', '--tail', '40'))) console.log(line.slice(0, 500))
  }
} finally {
  await check('docker compose down -v leaves nothing', async () => {
    await takeDown()
    await removeOwnImage()
    assert.deepEqual(await leftovers(), [])
  })
  await rm(directory, { recursive: true })
}
finish()

async function builds() {
  if (!(await buildsImages())) return false
  await checkImages()
  await check('HAProxy accepts its configuration', () =>
    inImage('proxy', 'haproxy -c -f /usr/local/etc/haproxy/haproxy.cfg'),
  )
  return check('from nothing, everything is healthy within two minutes', () => startUp())
}

async function publishesOnePort() {
  await check('one port is published, to this machine alone', async () => {
    const ids = await containers()
    const ports = await inspect('{{json .NetworkSettings.Ports}}', ...ids)
    const published = ports.flatMap((line) => Object.values(JSON.parse(line) ?? {}).flat())
    assert.deepEqual(published.filter(Boolean), [{ HostIp: '127.0.0.1', HostPort: `${port}` }])
  })
  await check('no password is in the configuration of a container', async () => {
    const url = await compose('exec', '-T', 'auth', 'cat', '/run/secrets/auth-db/url')
    const { password } = new URL(url)
    assert.match(password, /^[0-9a-f]{64}$/)
    const configuration = await docker('inspect', ...(await containers()))
    assert.ok(!configuration.includes(password))
  })
}

async function probes() {
  await check('each container is probed every 15 seconds, without Node.js', async () => {
    for (const id of await containers(...services)) {
      const [healthcheck] = await inspect('{{json .Config.Healthcheck}}', id)
      const { Test, Interval } = JSON.parse(healthcheck)
      assert.equal(Interval, 15e9, healthcheck)
      assert.doesNotMatch(Test.join(' '), /node/)
    }
  })
  await check('the probe distinguishes a service that is ready from one that is not', async () => {
    const [id] = await containers('auth')
    const [test] = await inspect('{{json .Config.Healthcheck.Test}}', id)
    const [, ...probe] = JSON.parse(test)
    await docker('exec', id, ...probe)
    // Where nothing answers.
    await assert.rejects(docker('exec', '--env=SVC_HEALTH_LISTEN=127.0.0.1:1', id, ...probe))
  })
}

async function idles() {
  await check(`the idle containers take less than ${restLimitPercent} %`, async () => {
    const shares = await idleShares(restSeconds)
    for (const { name, percent } of shares) console.log(`    ${name} ${percent.toFixed(2)} %`)
    const total = shares.reduce((sum, { percent }) => sum + percent, 0)
    console.log(`    together ${total.toFixed(2)} % of a core, over ${restSeconds} s`)
    assert.ok(total > 0 && total < restLimitPercent)
  })
}

async function answers() {
  await check('the log of auth has the first token, once', async () => {
    const log = lines(await compose('logs', '--no-log-prefix', 'auth'))
    const matching = log.filter((line) => line.includes('client_token'))
    assert.equal(matching.length, 1, `${matching.length} lines with client_token`)
    token = JSON.parse(matching[0]).client_token
  })
  await check('the lines of the README answer 200 as they are printed', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const section = readme.split(/^## /m).find((text) => text.startsWith('Try it\n')) ?? ''
    const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code)
    const printed = blocks.join('\n').replaceAll('localhost:8080', `localhost:${port}`)
    const report = `--silent --show-error --max-time 10 --write-out '\\n%{http_code}\\n'`
    const script = `curl() { command curl ${report} "$@"; }\n${printed}`
    const output = await run('bash', ['-euc', script], { SVC_TOKEN: token })
    const statuses = lines(output).filter((line) => /^\d{3}$/.test(line))
    const expected = Array(printed.match(/^curl /gm)?.length ?? 1).fill('200')
    assert.deepEqual(statuses, expected, output)
  })
}

async function servesPages() {
  const site = `http://localhost:${port}`
  await check('browsers get the interface, and all that its page loads', async () => {
    const answer = await fetch(`${site}/ns/default/flags`, { headers: browser })
    assert.equal(answer.status, 200)
    const names = [...(await answer.text()).matchAll(/(?:src|href)="\.\/([^"]+)"/g)]
    assert.ok(names.length > 3, `${names.length} files`)
    for (const [, name] of names) assert.equal((await fetch(`${site}/${name}`)).status, 200, name)
  })
  await check('a client cannot say where the interface is', async () => {
    const headers = { ...browser, 'x-forwarded-prefix': '/elsewhere' }
    const answer = await fetch(site, { headers })
    assert.match(await answer.text(), /<base href="\/" \/>/)
  })
}

async function takesSettings() {
  const page = await readFile(new URL('../docs/compose.md', import.meta.url), 'utf8')
  const [, file = ''] = /^```yaml\n# config.yml\n(.*?)^```$/ms.exec(page) ?? []
  const path = join(directory, 'config.yml')
  await writeFile(path, file)
  await writeSettings(
    'SVC_GATEWAYS=3',
    `SVC_CONFIG=${path}`,
    'SVC_LOG_LEVEL',
    'SVC_CORS_ENABLED=true',
    "CLIENT_SECRET='a$secret'",
  )
  await check('settings in .env reach all services, and one gateway becomes three', async () => {
    const shown = JSON.parse(
      await composeWith({ SVC_LOG_LEVEL: 'debug' }, 'config', '--format', 'json'),
    )
    for (const service of ['gateway', 'auth', 'resource']) {
      const { SVC_LOG_LEVEL, SVC_CORS_ENABLED } = shown.services[service].environment
      assert.deepEqual([SVC_LOG_LEVEL, SVC_CORS_ENABLED], ['debug', 'true'], service)
    }
    await startUp()
    assert.equal((await containers('gateway')).length, 3)
  })
  await check('the file that docs/compose.md shows is mounted and read', async () => {
    const { methods } = answersOk(await call('GET', '/auth/v1/method', undefined, token)).body
    const enabled = methods.filter((method) => method.enabled).map(({ method }) => method)
    assert.deepEqual(enabled, ['METHOD_TOKEN', 'METHOD_OIDC', 'METHOD_JWT'])
  })
}

async function scales() {
  await check('a flag changed through any of three gateways is seen through all', async () => {
    answersOk(await callGateway(1, 'POST', flags, newFlag('scaled'), token))
    for (const [writer, enabled] of [true, false, true].entries()) {
      answersOk(await callGateway(writer + 1, 'PUT', flag, { name: 'scaled', enabled }, token))
      for (const reader of [1, 2, 3]) {
        await waitFor(2000, async () => {
          const { body } = await callGateway(reader, ...evaluate, token)
          assert.equal(body.enabled, enabled, `gateway ${reader}, after gateway ${writer + 1}`)
        })
      }
    }
  })
}

async function survives() {
  const write = async (enabled) =>
    answersOk(await call('PUT', flag, { name: 'scaled', enabled }, token))

  await check('evaluations go on without PostgreSQL, and writes return with it', async () => {
    // Each has seen the token: a gateway that has not needs PostgreSQL to accept it.
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
    await waitFor(30_000, () => write(false))
  })
  await check('a service whose process crashes is started again', async () => {
    const ids = await Promise.all(['auth', 'resource', 'gateway'].map((name) => containers(name)))
    const killed = ids.map(([id]) => id)
    // The process itself: the engine does not restart what it was asked to kill.
    const kill = ['sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)']
    for (const id of killed) await docker('exec', id, ...kill).catch(() => {})
    await waitFor(60_000, async () => {
      const states = await inspect('{{.RestartCount}} {{.State.Health.Status}}', ...killed)
      assert.deepEqual(states, Array(3).fill('1 healthy'))
    })
    await waitFor(10_000, () => write(true))
  })
  await check('everything ends in order on a stop, with exit code 0', async () => {
    await compose('stop')
    const codes = await inspect('{{.Name}} {{.State.ExitCode}}', ...(await containers()))
    const failed = codes.filter((line) => !line.endsWith(' 0'))
    assert.deepEqual(failed, [])
  })
  await check('the next start has what was stored, and makes no second token', async () => {
    await startUp()
    const { body } = answersOk(await call('GET', flag, undefined, token))
    assert.equal(body.enabled, true)
    const log = await compose('logs', '--no-log-prefix', 'auth')
    assert.ok(!log.includes('client_token'))
  })
}

function answersOk(answer) {
  assert.equal(answer.status, 200, JSON.stringify(answer))
  return answer
}
