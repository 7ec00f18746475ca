import t from 'tap'
import { reportOf } from './report.ts'

t.test('a report has what is known, line by line', async (t) => {
  const text = reportOf({
    ...{ at: new Date('2026-11-25T12:00:00Z'), headline: 'Everything works', namespaceKey: 'shop' },
    info: undefined,
    ready: {
      status: 'ready',
      parts: { flags: { state: 'stale', ageSeconds: 31 }, auth: { state: 'waiting' } },
    },
    gateways: [
      {
        ...{ id: 'gw-1', version: '1.0.0', startedAt: undefined, seenMsAgo: 200 },
        ...{ dataAgeMs: undefined, revision: 42, ms: 41, isBehind: false },
      },
    ],
    ...{ revision: 42, userAgent: 'Browser' },
  })
  t.strictSame(text.split('\n'), [
    'Everything works',
    'at: 2026-11-25T12:00:00.000Z',
    'this gateway: ready; flags stale 31 s old; auth waiting',
    'namespace: shop, revision 42',
    'gateways: 1',
    '  gw-1 1.0.0, revision 42, had after 41 ms, reported 200 ms ago',
    'browser: Browser',
  ])
})
