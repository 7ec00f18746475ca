// The profile `observability` of docker-compose.yml: Prometheus finds every replica, and has data for all that the
// dashboard and the alerts ask. Grafana is not started.
import assert from 'node:assert/strict'
import { signIn } from './profiles.mjs'
import { alertMetrics, dashboardQueries } from './queries.mjs'
import {
  call,
  composeWith,
  containers,
  freePort,
  inspect,
  networkOf,
  openNetworksOf,
  port,
  project,
  run,
} from './stack.mjs'
import { boxed, check, waitFor } from './tally.mjs'

/** A scrape each 15 s: two of them make a rate, and what is new is found within ten more. */
const dataLimitMs = 120_000

/** A client that begins logins more often is limited. */
const useEveryMs = 3000

const flags = '/api/v1/namespaces/default/flags'

/** Needs a stack that runs with the profile `oidc`, and a flag `scaled`. */
export async function observes(token) {
  const profile = { COMPOSE_PROFILES: 'oidc,observability' }
  const { services } = JSON.parse(await composeWith(profile, 'config', '--format', 'json'))
  if (!(await hasImage(services.prometheus.image))) {
    boxed('Prometheus can neither be pulled nor installed: the profile observability did not run.')
    return
  }
  const url = `http://127.0.0.1:${await freePort(0)}`
  const env = { ...profile, SVC_GATEWAYS: '2', PROMETHEUS_PORT: new URL(url).port }
  const prometheus = await check(
    'with the profile observability Prometheus starts, for this machine alone',
    async () => {
      const wait = ['--detach', '--wait', '--wait-timeout', '120']
      const names = ['gateway', 'resource', 'prometheus']
      await composeWith(env, 'up', ...wait, '--scale', 'resource=2', ...names)
      const address = await composeWith(env, 'port', 'prometheus', '9090')
      assert.equal(`http://${address.trim()}`, url)
      assert.deepEqual(await openNetworksOf('prometheus'), ['monitoring'])
      const { Options } = await networkOf('monitoring')
      assert.equal(Options['com.docker.network.bridge.enable_ip_masquerade'], 'false')
    },
  )
  if (!prometheus) return
  await check('it finds every replica of the three services', () =>
    waitFor(60_000, async () => {
      const up = (await query(url, 'up == 1')).map(({ metric }) => metric)
      const found = up.map(({ job, instance }) => `${job} ${instance}`)
      assert.deepEqual(found.toSorted(), await expectedTargets())
    }),
  )
  await check('every query of the dashboard has data', async () => {
    let missing = dashboardQueries('1m')
    const count = missing.length
    await waitFor(
      dataLimitMs,
      async () => {
        await use(token)
        const asked = missing.map(async (one) => ((await hasData(url, one[1])) ? [] : [one]))
        missing = (await Promise.all(asked)).flat()
        assert.deepEqual(missing, [])
      },
      useEveryMs,
    )
    console.log(`    ${count} queries`)
  })
  await check('every alert rule is evaluated on data, and none fires', async () => {
    const { groups } = await get(url, 'rules')
    const rules = groups.flatMap((group) => group.rules)
    assert.ok(rules.length > 5, `${rules.length} rules`)
    for (const { name, health, state, query: expression } of rules) {
      assert.deepEqual([health, state !== 'firing'], ['ok', true], `${name}: ${health}, ${state}`)
      await query(url, expression)
    }
    for (const name of alertMetrics()) assert.ok((await query(url, name)).length > 0, name)
    console.log(`    ${rules.length} rules, ${alertMetrics().length} metrics`)
  })
  boxed(
    'Grafana was not started: its dashboard was not seen, but Prometheus has data for each query of it.',
  )
}

/** An image that is there is never replaced, pulled or not. */
async function hasImage(image) {
  const ways = [
    ['image', 'inspect', image],
    ['pull', '--quiet', image],
    ['build', '--quiet', '--tag', image, '.ci/prometheus'],
  ]
  for (const way of ways) {
    try {
      await run('timeout', ['180', 'docker', ...way])
      return true
    } catch (error) {
      console.log(`    ${way[0]} ${image}: ${error.message.split('\n').at(-1)}`)
    }
  }
  return false
}

/** By the addresses that the engine gave them: `job address:port`. */
async function expectedTargets() {
  const found = []
  for (const service of ['gateway', 'auth', 'resource']) {
    const format = `{{(index .NetworkSettings.Networks "${project}_internal").IPAddress}}`
    const addresses = await inspect(format, ...(await containers(service)))
    assert.equal(addresses.length, service === 'auth' ? 1 : 2, service)
    found.push(...addresses.map((address) => `svc-${service} ${address}:9464`))
  }
  return found.toSorted()
}

/** Some of everything that is measured. */
async function use(token) {
  const evaluation = { flagKey: 'scaled', entityId: 'user' }
  const description = `${Math.random()}`
  await Promise.all([
    call('PUT', `${flags}/scaled`, { name: 'scaled', enabled: true, description }, token),
    call('POST', '/evaluate/v1/boolean', evaluation, token),
    call('GET', `${flags}/missing`, undefined, token),
    call('GET', flags, undefined, 'wrong'),
    signIn(`http://localhost:${port}`),
  ])
}

async function hasData(url, expression) {
  const series = await query(url, expression)
  return series.some(({ value }) => Number.isFinite(Number(value[1])))
}

/** @returns the series that an expression has now */
async function query(url, expression) {
  return (await get(url, `query?${new URLSearchParams({ query: expression })}`)).result
}

async function get(url, path) {
  const answer = await fetch(`${url}/api/v1/${path}`, { signal: AbortSignal.timeout(10_000) })
  const { status, error, data } = await answer.json()
  assert.equal(status, 'success', `${path}: ${error}`)
  return data
}
