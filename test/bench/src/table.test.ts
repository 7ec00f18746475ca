import t from 'tap'
import { toTable } from './table.ts'

t.test('a row says what was reached and what had to be', async (t) => {
  const table = toTable([
    {
      id: 'http',
      ratio: 0.8,
      target: { atLeast: 0.8 },
      what: 'requests',
      detail: '8/10',
      also: { p99: { ratio: 1.51, target: { atMost: 1.5 }, what: 'latency', detail: '' } },
    },
    { id: 'propagation.p99-ms', ratio: 12.345, unit: 'ms', what: 'changes', detail: '' },
    { id: 'peers.flagd', ratio: Number.NaN, what: 'not measured', detail: '' },
  ])
  t.equal(
    table,
    [
      'row                 figure   target                  what',
      'http                0.80 x   >= 0.80 x  ok           requests (8/10)',
      '  p99               1.51 x   <= 1.50 x  NOT REACHED  latency',
      'propagation.p99-ms  12.3 ms                          changes',
      'peers.flagd         -                                not measured',
    ].join('\n'),
  )
})
