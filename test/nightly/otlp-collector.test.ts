import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import { buildCollector, type CollectedSpan, startCollector } from '../support/otlp-collector.ts'

const program = buildCollector()
const missing =
  program === undefined &&
  'THE COLLECTOR OF OPENTELEMETRY CANNOT BE BUILT: go or its modules are missing'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${spanId}-01`

/** The spans of one request, each with the names of those above it. */
function pathsOf(spans: readonly CollectedSpan[]): readonly string[] {
  const pathOf = ({ service, name, parentId }: CollectedSpan): string => {
    const parent = spans.find(({ id }) => id === parentId)
    return `${parent === undefined ? '' : `${pathOf(parent)} > `}${service} ${name}`
  }
  return spans.map(pathOf)
}

async function start(t: Test) {
  if (program === undefined) throw new Error('there is no collector')
  const directory = mkdtempSync(join(tmpdir(), 'svc-collector-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const collector = await startCollector(t, program, directory)
  const api = await startOrchestratorApi(t)
  const fleet = await startFleet(t, {
    env: { ...api.env, SVC_TELEMETRY_OTLP_ENDPOINT: collector.url },
  })
  return { collector, api, fleet }
}

t.test('the collector of OpenTelemetry', { skip: missing }, async (t) => {
  const { collector, api, fleet } = await start(t)

  await t.test('has one trace of a write, from HTTP through gRPC to SQL', async (t) => {
    const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
    const path = '/api/v1/namespaces/default/flags'
    const headers = { traceparent, tracestate: 'vendor=1' }
    t.match(await fleet.api('POST', path, flag, headers), { status: 200 })
    const route = 'svc-gateway POST /api/v1/namespaces/:namespaceKey/flags'
    const method = 'svc.resource.v1.FlagService/CreateFlag'
    const called = `${route} > svc-gateway ${method} > svc-resource ${method}`
    const ofWrite = () => collector.spans().filter((span) => span.traceId === traceId)
    await waitFor(() => pathsOf(ofWrite()).includes(`${called} > svc-resource COMMIT`))
    await waitFor(() => pathsOf(ofWrite()).includes(route))
    const paths = pathsOf(ofWrite())
    t.ok(paths.includes(`${called} > svc-resource INSERT resource.flags`), paths.join('\n'))
    const root = ofWrite().find(({ parentId }) => parentId === spanId)
    t.match(root, { kind: 'Server', attributes: { 'http.response.status_code': '200' } })
    t.comment(paths.join('\n'))
  })

  await t.test('has that of a login of a workload, to the review of its token', async (t) => {
    const login = { serviceAccountToken: api.tokenOf('shop:client', { audiences: ['flags'] }) }
    const path = '/auth/v1/method/orchestrator/serviceaccount'
    t.match(await call(fleet.urls[0], 'POST', path, login), { status: 200 })
    const reviewed = () => collector.spans().find(({ name }) => name === 'POST 127.0.0.1')
    await waitFor(() => reviewed() !== undefined)
    t.match(reviewed(), {
      service: 'svc-auth',
      kind: 'Client',
      attributes: { 'http.response.status_code': '201', 'server.address': '127.0.0.1' },
    })
    const paths = () => pathsOf(collector.spans()).join('\n')
    await waitFor(() =>
      /svc-gateway POST \S+orchestrator\S* > .* > svc-auth POST 127/.test(paths()),
    )
    t.notMatch(collector.lines.join('\n'), login.serviceAccountToken)
  })

  await t.test('has what came of an evaluation whose caller records it', async (t) => {
    const evaluation = { flagKey: 'on', entityId: 'user-1' }
    const answer = await fleet.api('POST', '/evaluate/v1/boolean', evaluation, { traceparent })
    t.match(answer, { status: 200 })
    const ofFlag = () =>
      collector.spans().find(({ attributes }) => attributes['feature_flag.key'] === 'on')
    await waitFor(() => ofFlag() !== undefined)
    t.match(ofFlag(), {
      name: 'POST /evaluate/v1/boolean',
      traceId,
      attributes: {
        'feature_flag.context.id': 'user-1',
        'feature_flag.provider.name': 'svc',
        'feature_flag.result.reason': 'default',
        'feature_flag.result.variant': 'true',
        'feature_flag.set.id': 'default',
      },
    })
  })

  await t.test('has the metrics of a service that ends', async (t) => {
    await fleet.gateways[0]?.kill('SIGTERM')
    await waitFor(() => collector.lines.some((line) => line.includes('svc.build_info')))
    t.pass()
  })
})
