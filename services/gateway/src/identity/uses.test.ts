import { Authentication } from '@svc/proto/auth/v1/authentications'
import type { Identity, Use } from '@svc/proto/auth/v1/identities'
import t from 'tap'
import { Uses } from './uses.ts'

const identityOf = (id: string): Identity => ({
  authentication: Authentication.fromPartial({ id }),
  namespaceKey: '',
  name: '',
  tokenHash: Buffer.alloc(32),
  expiresInMs: undefined,
  assertion: '',
  principal: '',
  isSession: false,
})

function open() {
  const clock = { ms: 0 }
  const reports: Use[][] = []
  const auth = { isUnavailable: false }
  const report = async (uses: Use[]) => {
    if (auth.isUnavailable) throw new Error('away')
    reports.push(uses)
  }
  return { uses: new Uses(report, () => clock.ms), clock, reports, auth }
}

t.test('uses are counted, with when and from where the last one was', async (t) => {
  const { uses, clock, reports } = open()
  uses.note(identityOf('a'), '192.0.2.1')
  clock.ms = 1000
  uses.note(identityOf('a'), '192.0.2.2')
  clock.ms = 2000
  uses.note(identityOf('a'), '192.0.2.3')
  uses.note(identityOf('b'), '')
  clock.ms = 5000
  await uses.report()
  t.strictSame(reports, [
    [
      { authenticationId: 'a', count: 3, lastUsedMsAgo: 3000, lastAddress: '192.0.2.3' },
      { authenticationId: 'b', count: 1, lastUsedMsAgo: 3000, lastAddress: '' },
    ],
  ])
  await uses.report()
  t.equal(reports.length, 1, 'and reported once')
})

t.test('callers without a record are not counted', async (t) => {
  const { uses, reports } = open()
  uses.note(identityOf(''), '192.0.2.1')
  await uses.report()
  t.strictSame(reports, [])
})

t.test('what cannot be reported is reported the next time', async (t) => {
  const { uses, clock, reports, auth } = open()
  uses.note(identityOf('a'), '192.0.2.1')
  uses.note(identityOf('b'), '192.0.2.1')
  auth.isUnavailable = true
  await t.rejects(uses.report())
  clock.ms = 1000
  uses.note(identityOf('a'), '192.0.2.2')
  auth.isUnavailable = false
  await uses.report()
  t.strictSame(
    new Map(reports[0]?.map((use) => [use.authenticationId, use])),
    new Map([
      ['a', { authenticationId: 'a', count: 2, lastUsedMsAgo: 0, lastAddress: '192.0.2.2' }],
      ['b', { authenticationId: 'b', count: 1, lastUsedMsAgo: 1000, lastAddress: '192.0.2.1' }],
    ]),
  )
})

t.test('fifty thousand tokens are counted, and reported a thousand at a time', async (t) => {
  const { uses, reports } = open()
  for (let i = 0; i < 50_001; i += 1) uses.note(identityOf(`token-${i}`), '192.0.2.1')
  await uses.report()
  t.equal(reports.length, 50)
  t.ok(reports.every((report) => report.length === 1000))
})
