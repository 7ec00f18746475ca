import { waitFor } from '@svc/runtime/testing'
import { type InstrumentDescription, instruments } from '@svc/telemetry'
import t from 'tap'
import { type Fleet, startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { parseMetrics, prometheusNameOf, type Sample, scrape, sumOf } from '../support/metrics.ts'
import type { ServiceProcess } from '../support/service-process.ts'

t.test('what services measure', async (t) => {
  const fleet = await startFleet(t, { envOf: { gateway: { SVC_METRICS_ON_HTTP: 'true' } } })
  const [gateway, auth, resource] = [fleet.gateways[0], fleet.auths[0], fleet.resources[0]]
  if (!gateway || !auth || !resource) throw new Error('a service is missing')
  const read = async (process: ServiceProcess) => parseMetrics(await scrape(process))
  await use(fleet)

  await t.test('evaluations by namespace, kind and reason', async (t) => {
    const samples = await read(gateway)
    const count = (kind: string, reason: string, namespace = 'default') =>
      sumOf(samples, 'svc_evaluations_total', { namespace, kind, reason })
    t.equal(count('boolean', 'default'), 3)
    t.equal(count('variant', 'disabled'), 1)
    t.equal(count('variant', 'wrong_type'), 1)
    t.equal(count('unknown', 'not_found'), 2)
    t.equal(count('unknown', 'not_found', '_other'), 1, 'a namespace that there is not')
    t.equal(sumOf(samples, 'svc_evaluation_duration_seconds_count'), 6)
  })

  await t.test('requests by their route, also those that were refused', async (t) => {
    await waitFor(async () => {
      const samples = await read(gateway)
      const count = (route: string, status: string, method = 'POST') =>
        sumOf(samples, 'http_server_request_duration_seconds_count', {
          http_request_method: method,
          http_route: route,
          http_response_status_code: status,
        })
      return (
        count('/evaluate/v1/boolean', '200') === 1 &&
        count('/evaluate/v1/boolean', '404') === 1 &&
        count('/evaluate/v1/boolean', '401') === 1 &&
        count('/ofrep/v1/evaluate/flags/:key', '200') === 1
      )
    })
    const samples = await read(gateway)
    const unmatched = samples.filter(
      ({ name, labels }) =>
        name === 'http_server_request_duration_seconds_count' && labels.http_route === undefined,
    )
    t.strictSame(
      unmatched.map(({ labels, value }) => [labels.http_response_status_code, value]),
      [['404', 1]],
    )
  })

  await t.test('how fresh the flags are', async (t) => {
    const samples = await read(gateway)
    t.ok((sumOf(samples, 'svc_replica_age_seconds') ?? 99) < 10)
    t.ok((sumOf(samples, 'svc_replica_revision') ?? 0) > 0)
    t.ok((sumOf(samples, 'svc_replica_bytes') ?? 0) > 20)
    t.equal(sumOf(samples, 'svc_propagation_seconds_count'), 2)
  })

  await t.test('calls between the services, and the connections to their replicas', async (t) => {
    const samples = await read(gateway)
    const method = 'svc.resource.v1.FlagService/CreateFlag'
    const labels = { rpc_method: method, rpc_response_status_code: 'OK' }
    t.equal(sumOf(samples, 'rpc_client_call_duration_seconds_count', labels), 2)
    const served = await read(resource)
    t.equal(sumOf(served, 'rpc_server_call_duration_seconds_count', labels), 2)
    for (const service of ['auth', 'resource']) {
      t.equal(sumOf(samples, 'svc_rpc_endpoints', { service, state: 'ready' }), 1)
      t.equal(sumOf(samples, 'svc_rpc_endpoints', { service }), 1)
    }
    t.equal(sumOf(served, 'svc_streams', { kind: 'rpc' }), 1)
  })

  await t.test('who is calling, and where that was found', async (t) => {
    const ofGateway = await read(gateway)
    const lookups = 'svc_identity_lookups_total'
    t.ok(sumOf(ofGateway, lookups, { layer: 'memory', result: 'hit' }))
    t.ok(sumOf(ofGateway, lookups, { layer: 'memory', result: 'miss' }))
    const ofAuth = await read(auth)
    t.ok(sumOf(ofAuth, lookups, { layer: 'postgres', result: 'hit' }))
    t.ok(sumOf(ofAuth, 'svc_authentications_total', { method: 'token', result: 'ok' }))
    const refused = { method: 'unknown', result: 'invalid_credential' }
    t.equal(sumOf(ofAuth, 'svc_authentications_total', refused), 1)
    for (const samples of [ofGateway, ofAuth]) {
      t.ok((sumOf(samples, 'svc_revocation_age_seconds') ?? 99) < 10)
    }
  })

  await t.test('statements and the connections of each pool', async (t) => {
    for (const [process, pool] of [
      [auth, 'auth'],
      [resource, 'resource'],
    ] as const) {
      const samples = await read(process)
      t.ok(sumOf(samples, 'svc_pool_connections', { pool, state: 'idle' }))
      t.equal(sumOf(samples, 'svc_pool_waiting', { pool }), 0)
      const selects = { db_system_name: 'postgresql', db_operation_name: 'SELECT' }
      t.ok(sumOf(samples, 'db_client_operation_duration_seconds_count', selects))
    }
  })

  await t.test('what was refused for its size', async (t) => {
    const { status } = await fleet.api('POST', '/evaluate/v1/boolean', 'x'.repeat(4 * 2 ** 20))
    t.equal(status, 413)
    const size = { reason: 'size' }
    // The text of a moment ago may be served again.
    await waitFor(async () => sumOf(await read(gateway), 'svc_refused_total', size) === 1)
  })

  await t.test('the process and its build', async (t) => {
    for (const process of [gateway, auth, resource]) {
      const samples = await read(process)
      t.ok((sumOf(samples, 'process_memory_usage_bytes') ?? 0) > 2 ** 20)
      t.ok((sumOf(samples, 'process_cpu_time_seconds_total') ?? 0) > 0)
      const [build] = samples.filter(({ name }) => name === 'svc_build_info')
      t.match(build, { value: 1, labels: { version: /^\d/, node: /^\d/ } })
    }
  })

  await t.test('with metrics.on_http the gateway serves the same at /metrics', async (t) => {
    const answer = await call(fleet.urls[0], 'GET', '/metrics', undefined, {})
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
    t.ok(sumOf(parseMetrics(answer.text), 'svc_evaluations_total'))
  })

  await t.test('nothing has a name, a label or a unit that is not described', async (t) => {
    for (const process of [gateway, auth, resource]) {
      t.strictSame(undescribedIn(await read(process)), [])
    }
  })
})

/** One evaluation of each kind, with what goes wrong. */
async function use({ api, urls }: Fleet): Promise<void> {
  const flags = '/api/v1/namespaces/default/flags'
  await api('POST', flags, { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE' })
  await api('POST', flags, { key: 'color', name: 'Color', type: 'VARIANT_FLAG_TYPE' })
  const ask = async (path: string, body: object, status: number) => {
    const answer = await api('POST', path, body)
    if (answer.status !== status) throw new Error(`${path} answered ${answer.status}`)
  }
  const [boolean, batch] = ['/evaluate/v1/boolean', '/evaluate/v1/batch']
  await ask(boolean, { flagKey: 'on' }, 200)
  await ask('/evaluate/v1/batch', { requests: [{ flagKey: 'on' }, { flagKey: 'gone' }] }, 200)
  await ask('/ofrep/v1/evaluate/flags/on', { context: { targetingKey: 'a' } }, 200)
  await ask('/evaluate/v1/variant', { flagKey: 'color' }, 200)
  await ask(boolean, { flagKey: 'color' }, 400)
  await ask(boolean, { flagKey: 'gone' }, 404)
  await ask(batch, { requests: [{ namespaceKey: 'no-such', flagKey: 'gone' }] }, 200)
  await ask('/there/is/nothing', {}, 404)
  await call(urls[0], 'POST', boolean, { flagKey: 'on' }, { authorization: 'Bearer no' })
}

/** Metrics with a name or labels that `instruments` does not have. */
function undescribedIn(samples: readonly Sample[]): string[] {
  const known = new Map(
    Object.entries<InstrumentDescription>(instruments).flatMap(([name, { kind, labels }]) => {
      const own = [...labels.map((label) => label.replaceAll('.', '_')), 'otel_metric_overflow']
      const ends = kind === 'histogram' ? ['_count', '_sum', '_bucket'] : ['']
      return ends.map((end) => [prometheusNameOf(name) + end, new Set([...own, 'le'])] as const)
    }),
  )
  return samples
    .filter(({ name, labels }) => {
      const own = known.get(name)
      return !(own && Object.keys(labels).every((label) => own.has(label)))
    })
    .map(({ name, labels }) => `${name} ${Object.keys(labels)}`)
}
