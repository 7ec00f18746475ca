import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { figure } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { generateLoad } from '../../support/load.generator.ts'
import { residentMiB } from '../../support/process-stats.ts'
import { requestBytes } from '../../support/raw-http.ts'

/** The limit of the chart for a gateway; half of it is for the heap. */
const maxMiB = 512

const flagPath = '/api/v1/namespaces/default/flags/on'
/** As large as any may be. */
const body = JSON.stringify({ name: 'on', enabled: true, description: 'x'.repeat(4_000_000) })

t.test('callers that are not known send large bodies', { timeout: 120_000 }, async (t) => {
  const { gateways, api } = await startFleet(t, {
    envOf: { gateway: { NODE_OPTIONS: `--max-old-space-size=${maxMiB / 2}` } },
  })
  const [gateway] = gateways
  if (gateway === undefined) throw new Error('there is no gateway')
  await createFlag(api)
  let resident = 0
  const timer = setInterval(() => {
    resident = Math.max(resident, residentMiB(gateway))
  }, 50)
  t.teardown(() => clearInterval(timer))
  const headers = { authorization: 'Bearer none' }
  const { answers } = await generateLoad(t, {
    port: gateway.port,
    requests: [requestBytes(flagPath, body, headers, 'PUT').toString('latin1')],
    perSecond: 2000,
    forMs: 8000,
    connections: 400,
  })
  const statuses = Object.entries(answers).map(
    ([status, { tookMs }]) => `${status}: ${tookMs.length}`,
  )
  t.comment(statuses.join(', '))
  t.ok((answers['401']?.tookMs.length ?? 0) > 0, 'they are refused')
  t.strictSame(
    Object.keys(answers).filter((status) => !/^(401|408|429|503)$/.test(status)),
    [],
  )
  figure(t, 'R-19', 'resident', { atMost: maxMiB, unit: 'MiB' }, resident)
  t.equal((await api('POST', '/evaluate/v1/boolean', { flagKey: 'on' })).status, 200)
})
