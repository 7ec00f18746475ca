import { readFileSync } from 'node:fs'
import { type InstrumentDescription, instruments } from '@svc/telemetry'
import t from 'tap'
import { parse } from 'yaml'
import { prometheusNameOf } from '../support/metrics.ts'

/** This file is test/dist/contract/observability.test.js. */
const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const readYaml = <T>(path: string) => parse(read(path), { merge: true }) as T

interface Service {
  readonly image?: string
  readonly profiles?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly unknown[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
}

const { services } = readYaml<{ readonly services: Readonly<Record<string, Service>> }>(
  'docker-compose.yml',
)
const { prometheus, grafana } = services
const folder = 'deploy/observability'

t.test('the profile is pinned, hardened and for this machine alone', async (t) => {
  for (const [name, service] of Object.entries({ prometheus, grafana })) {
    t.strictSame(service?.profiles, ['observability'], name)
    t.match(service?.image, /:v?\d+\.\d+\.\d+$/, name)
    t.match(service, { read_only: true, cap_drop: ['ALL'] }, name)
    t.ok(
      service?.ports?.every((port) => port.startsWith('127.0.0.1:')),
      name,
    )
  }
})

t.test('Prometheus scrapes the three services where their images serve metrics', async (t) => {
  interface Config {
    readonly scrape_configs: readonly {
      readonly job_name: string
      readonly dns_sd_configs: readonly {
        readonly names: readonly string[]
        readonly port: number
      }[]
    }[]
  }
  const { scrape_configs: jobs } = readYaml<Config>(`${folder}/prometheus.yml`)
  const [, port] = /SVC_METRICS_PORT=(\d+)/.exec(read('deploy/docker/Dockerfile')) ?? []
  t.strictSame(
    jobs.map((job) => [job.job_name, job.dns_sd_configs.map(({ names, port }) => [names, port])]),
    ['gateway', 'auth', 'resource'].map((name) => [`svc-${name}`, [[[name], Number(port)]]]),
  )
})

t.test(
  'SvcDown is about the jobs of the stack, the chart and the documentation alone',
  async (t) => {
    const [, matcher = ''] = /up\{job=~"([^"]+)"\} == 0/.exec(read(`${folder}/alerts.yml`)) ?? []
    const ofChart = /jobLabel: svc-metrics/.test(read('deploy/helm/templates/service-monitor.yaml'))
    const jobs = [`${folder}/prometheus.yml`, 'docs/metrics.md'].flatMap((path) =>
      [...read(path).matchAll(/job_name: (\S+)/g)].map(([, name = '']) => name),
    )
    t.ok(ofChart)
    t.strictSame(jobs, ['svc-gateway', 'svc-auth', 'svc-resource', 'svc'])
    const isOurs = (job: string) => new RegExp(`^(?:${matcher})$`).test(job)
    t.strictSame(
      jobs.filter((job) => !isOurs(job)),
      [],
    )
    t.notOk(['istio-gateway', 'gateway', 'svc-gateway-proxy', 'svc-', ''].some(isOurs))
  },
)

t.test('every alert has a test, and a row in docs/observability.md', async (t) => {
  const names = (text: string, pattern: RegExp) =>
    new Set(Array.from(text.matchAll(pattern), ([, name]) => name))
  const alerts = names(read(`${folder}/alerts.yml`), /- alert: (\w+)/g)
  t.ok(alerts.size > 5)
  t.strictSame(names(read(`${folder}/alerts.test.yml`), /alertname: (\w+)/g), alerts)
  t.strictSame(names(read('docs/observability.md'), /^\| `(Svc\w+)` \|/gm), alerts)
})

t.test('what the runbook of failed requests looks at is a panel of the dashboard', async (t) => {
  interface Dashboard {
    readonly panels: readonly {
      readonly title: string
      readonly targets?: readonly { readonly expr: string }[]
    }[]
  }
  const { panels } = JSON.parse(read(`${folder}/dashboard.json`)) as Dashboard
  const [row = ''] = /^\| `SvcErrorRatio` .*$/m.exec(read('docs/observability.md')) ?? []
  const named = Array.from(row.matchAll(/"([^"]+)"/g), ([, title = '']) => title)
  t.ok(named.length > 0)
  const titles = panels.map(({ title }) => title)
  for (const name of named) t.ok(titles.includes(name), name)
  const { targets = [] } = panels.find(({ title }) => title === named[0]) ?? {}
  t.match(targets[0]?.expr, 'sum by (http_route, http_response_status_code)')
})

/** Upper bounds of each histogram, by its name in Prometheus. */
const boundsOf = new Map(
  Object.entries<InstrumentDescription>(instruments).flatMap(([name, { bounds }]) =>
    bounds === undefined ? [] : [[prometheusNameOf(name), bounds] as const],
  ),
)

t.test('the threshold of a quantile is a bound, so that no interpolation decides', async (t) => {
  const quantiles = Array.from(
    read(`${folder}/alerts.yml`).matchAll(/histogram_quantile\(.*?(\w+)_bucket\b.*\) > (\S+)/g),
    ([, name = '', threshold]) => ({ name, threshold: Number(threshold) }),
  )
  t.ok(quantiles.length > 0)
  t.strictSame(
    quantiles.filter(({ name, threshold }) => !boundsOf.get(name)?.includes(threshold)),
    [],
  )
})

t.test('the tests of alerts have buckets that there are', async (t) => {
  const buckets = Array.from(
    read(`${folder}/alerts.test.yml`).matchAll(/series: (\w+)_bucket\{.*le="([^"]+)"/g),
    ([, name = '', le]) => ({ name, bound: le === '+Inf' ? Infinity : Number(le) }),
  )
  t.ok(buckets.length > 0)
  t.strictSame(
    buckets.filter(
      ({ name, bound }) => !(bound === Infinity || boundsOf.get(name)?.includes(bound)),
    ),
    [],
  )
})

// What Grafana itself would notice, where it can be run.
t.test('Grafana finds its data source and the dashboard where they are mounted', async (t) => {
  interface Sources {
    readonly datasources: readonly {
      readonly url: string
      readonly isDefault: boolean
      readonly jsonData: { readonly timeInterval: string }
    }[]
  }
  const [source] = readYaml<Sources>(`${folder}/grafana/datasource.yml`).datasources
  const { host, port } =
    /^http:\/\/(?<host>\w+):(?<port>\d+)$/.exec(source?.url ?? '')?.groups ?? {}
  t.ok(
    services[host ?? '']?.ports?.some((published) => published.endsWith(`:${port}`)),
    `${source?.url}`,
  )
  t.equal(source?.isDefault, true)
  const { global } = readYaml<{ readonly global: { readonly scrape_interval: string } }>(
    `${folder}/prometheus.yml`,
  )
  t.equal(source?.jsonData.timeInterval, global.scrape_interval)

  const targets = new Map(
    grafana?.volumes?.map((volume) => String(volume).split(':').slice(0, 2)) as [string, string][],
  )
  for (const path of targets.keys()) t.ok(read(path), path)
  interface Providers {
    readonly providers: readonly { readonly options: { readonly path: string } }[]
  }
  const [provider] = readYaml<Providers>(`${folder}/grafana/dashboards.yml`).providers
  t.equal(targets.get(`./${folder}/dashboard.json`), `${provider?.options.path}/svc.json`)
  const { uid } = JSON.parse(read(`${folder}/dashboard.json`)) as { readonly uid: string }
  t.match(read(`${folder}/grafana/grafana.ini`), `home_page = /d/${uid}\n`)
})
