import { randomUUID } from 'node:crypto'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { type OtlpFault, startOtlpReceiver } from '../support/otlp-receiver.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`
const evaluation = { flagKey: 'on', entityId: 'user-1', context: { plan: 'canary-context' } }

t.test('what a collector is sent', async (t) => {
  const collector = await startOtlpReceiver(t)
  const headers = { 'x-key': randomUUID() }
  const fleet = await startFleet(t, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${headers['x-key']}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  })
  /** What has come of a signal, as far as it is text or ids. */
  const sent = (path: string) =>
    Buffer.concat(collector.received.filter((one) => one.path === path).map(({ body }) => body))
  const traces = () => sent('/v1/traces')

  await t.test('are the spans of a write, of all services, in one trace', async (t) => {
    const flag = { key: 'on', name: 'canary-name', type: 'BOOLEAN_FLAG_TYPE' }
    const path = '/api/v1/namespaces/default/flags?pretty=canary-query'
    const written = await fleet.api('POST', path, flag, {
      traceparent,
      baggage: 'a=canary-baggage',
    })
    t.equal(written.status, 200)
    const parts = [
      Buffer.from(traceId, 'hex'),
      'POST /api/v1/namespaces/:namespaceKey/flags',
      'svc.resource.v1.FlagService/CreateFlag',
      'INSERT resource.flags',
      'svc-gateway',
      'svc-resource',
      'deployment.environment.name',
    ]
    await waitFor(() => parts.every((part) => traces().includes(part)))
    t.pass()
  })

  await t.test('is an evaluation, with what came of it, when its caller asks', async (t) => {
    const evaluated = await fleet.api('POST', '/evaluate/v1/boolean', evaluation, { traceparent })
    t.equal(evaluated.status, 200)
    const parts = ['POST /evaluate/v1/boolean', 'feature_flag.result.variant', 'user-1']
    await waitFor(() => parts.every((part) => traces().includes(part)))
    t.pass()
  })

  await t.test('is the last of it when a service ends', async (t) => {
    await fleet.api('GET', '/auth/v1/self')
    const [gateway] = fleet.gateways
    await gateway?.kill('SIGTERM')
    t.ok(traces().includes('GET /auth/v1/self'))
    t.ok(sent('/v1/metrics').includes('svc.build_info'))
  })

  await t.test(
    'is nothing secret, and nothing of a body but the keys of an evaluation',
    async (t) => {
      const all = Buffer.concat(collector.received.map(({ body }) => body))
      for (const secret of ['canary-', fleet.token, headers['x-key'], 'postgres://']) {
        t.notOk(all.includes(secret), secret)
      }
    },
  )
})

/** What a collector may do, and requests go on. */
const faults: Readonly<Record<string, OtlpFault>> = {
  'does not answer': () => {},
  'answers a byte at a time': (response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('a'), 100)
    response.once('close', () => clearInterval(drip))
  },
  'refuses what it is sent': (response) => {
    response.writeHead(503, { 'retry-after': '3600' }).end('canary-answer')
  },
  'resets connections': (response) => {
    response.socket?.resetAndDestroy()
  },
}

t.test('a collector that does not take what it is sent', async (t) => {
  const fleet = await startFleet(t)
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await fleet.api('POST', '/api/v1/namespaces/default/flags', flag)
  for (const [name, fault] of Object.entries(faults)) {
    await t.test(`one that ${name}`, async (t) => {
      const collector = await startOtlpReceiver(t, fault)
      const gateway = await fleet.startGateway({ SVC_TELEMETRY_OTLP_ENDPOINT: collector.url })
      const headers = { authorization: `Bearer ${fleet.token}`, traceparent }
      const ask = async (round: number) => {
        const path = '/api/v1/namespaces/default/flags/on'
        const body = { ...flag, description: String(round) }
        const answers = [
          await call(gateway.url, 'POST', '/evaluate/v1/boolean', evaluation, headers),
          await call(gateway.url, 'PUT', path, body, headers),
        ]
        t.strictSame(
          answers.map(({ status }) => status),
          [200, 200],
        )
      }
      for (let round = 0; round < 5; round++) await ask(round)
      await waitFor(() => collector.received.length > 0)
      await ask(5)
      await gateway.kill('SIGTERM')
      t.notMatch(gateway.output.join('\n'), 'canary')
    })
  }

  await t.test('one that is not there is named in the log, at most once a minute', async (t) => {
    const gateway = await fleet.startGateway({ SVC_TELEMETRY_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
    const lines = () => gateway.lines.filter(({ msg }) => /by OTLP; dropping/.test(String(msg)))
    const ask = async () => {
      const headers = { authorization: `Bearer ${fleet.token}` }
      t.match(await call(gateway.url, 'GET', '/auth/v1/self', undefined, headers), { status: 200 })
    }
    await ask()
    await waitFor(() => lines().length > 0)
    await ask()
    await gateway.kill('SIGTERM')
    const message = 'cannot send traces by OTLP; dropping them'
    t.match(lines(), [{ level: 'warn', reason: 'ECONNREFUSED', msg: message }])
  })
})
