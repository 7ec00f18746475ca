import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import {
  alertMetrics,
  dashboardQueries,
  observability,
  startPrometheus,
} from '../support/prometheus.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { ensureInstalled, prometheusPackage } from '../support/system-packages.ts'

const hasPrometheus = ensureInstalled(prometheusPackage, (line) => console.log(`# ${line}`))
const skip = !hasPrometheus && 'PROMETHEUS IS NOT INSTALLED: apt-get install prometheus'

/** @returns what it says, when that is not that all is well */
function promtool(...args: readonly string[]): string {
  const options = { cwd: observability, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync('promtool', args, options)
  return status === 0 ? '' : `${stdout}${stderr}`
}

t.test(
  'promtool accepts the configuration and the rules, and their tests pass',
  { skip },
  async (t) => {
    t.equal(promtool('check', 'config', 'prometheus.yml'), '')
    t.equal(promtool('check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yml'), '')
    t.equal(promtool('test', 'rules', 'alerts.test.yml'), '')
  },
)

/** Where a process serves its metrics, by its log. */
function monitoringOf({ lines }: Pick<ServiceProcess, 'lines'>): string {
  const line = lines.find(({ msg }) => msg === 'health and metrics are served')
  return `127.0.0.1:${String(line?.port)}`
}

t.test('what is really scraped', { skip }, async (t) => {
  const api = await startOrchestratorApi(t)
  const fleet = await startFleet(t, { gateways: 2, env: api.env })
  const directory = mkdtempSync(join(tmpdir(), 'svc-prometheus-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const prometheus = await startPrometheus(t, directory, {
    'svc-gateway': fleet.gateways.map(monitoringOf),
    'svc-auth': fleet.auths.map(monitoringOf),
    'svc-resource': fleet.resources.map(monitoringOf),
  })

  const path = '/api/v1/namespaces/default/flags'
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await fleet.api('POST', path, flag)
  /** Some of everything: rates need it to go on. */
  const load = async () => {
    const login = { serviceAccountToken: api.tokenOf('shop:client', { audiences: ['flags'] }) }
    await Promise.all([
      fleet.api('PUT', `${path}/on`, { ...flag, description: String(Math.random()) }),
      fleet.api('POST', '/evaluate/v1/boolean', { flagKey: 'on', entityId: 'user' }),
      fleet.api('GET', `${path}/missing`),
      fleet.api('POST', '/evaluate/v1/boolean', 'x'.repeat(4 * 2 ** 20)),
      call(fleet.urls[0], 'GET', path, undefined, { authorization: 'Bearer wrong' }),
      call(fleet.urls[0], 'POST', '/auth/v1/method/orchestrator/serviceaccount', login),
    ])
  }

  await t.test('every target is up', async (t) => {
    await waitFor(async () => (await prometheus.query('up == 1')).length === 4)
    t.pass()
  })

  for (const [panel, expression] of dashboardQueries('10s')) {
    await t.test(`the panel "${panel}" has data by ${expression}`, async (t) => {
      await waitFor(async () => {
        await load()
        const series = await prometheus.query(expression)
        return series.some(({ value }) => Number.isFinite(Number(value[1])))
      })
      t.pass()
    })
  }

  await t.test('every rule is evaluated, and none fires', async (t) => {
    type Rule = { readonly name: string; readonly health: string; readonly state: string }
    type Groups = { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
    const { groups } = await prometheus.get<Groups>('rules')
    const rules = groups.flatMap((group) => group.rules)
    t.ok(rules.length > 5)
    t.strictSame(
      rules.filter(({ health, state }) => health !== 'ok' || state === 'firing'),
      [],
    )
  })

  await t.test('every metric of the rules is there', async (t) => {
    for (const name of alertMetrics()) t.ok((await prometheus.query(name)).length > 0, name)
  })
})
