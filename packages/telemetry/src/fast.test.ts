import t from 'tap'
import { fastHistogram, fastHistograms } from './fast.ts'
import { instruments } from './instruments.ts'

const name = 'http.server.request.duration'

t.test('beyond the limit of series what matters is told apart, within a limit', async (t) => {
  const { limit, overflowLimit } = instruments[name]
  const series = fastHistogram(name, ({ status }) => ({ method: '_OTHER', status }))
  for (let route = 0; route < limit; route++) series({ route, status: 200 }).record(0.1)
  const failed = series({ route: 'last', status: 500 })
  t.strictSame(failed.attributes, { method: '_OTHER', status: 500, 'otel.metric.overflow': true })
  t.equal(series({ route: 'other', status: 500 }), failed, 'of all routes together')
  t.strictSame(series({ route: 0, status: 200 }).attributes, { route: 0, status: 200 })
  t.not(series({ route: limit - 1, status: 200 }), failed)
  for (let status = 0; status < limit; status++) series({ route: 'many', status })
  t.strictSame(series({ route: 'many', status: -1 }).attributes, { 'otel.metric.overflow': true })
  const [histogram] = [...fastHistograms()].filter((one) => one.name === name)
  const made = [...(histogram?.distributions() ?? [])].map(({ attributes }) => attributes)
  t.equal(made.length, limit + 1)
  t.equal(made.filter(({ method }) => method === '_OTHER').length, overflowLimit)
})

t.test('without that it is one series', async (t) => {
  const series = fastHistogram('svc.evaluation.duration')
  t.strictSame(series({}).attributes, {})
  t.equal(series({ a: 1 }), series({ a: 2 }))
  t.strictSame(series({ a: 1 }).attributes, { 'otel.metric.overflow': true })
})
