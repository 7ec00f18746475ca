import type { Gateway, Propagation } from '@svc/client/api'
import t from 'tap'
import type { Ready } from '../../data/status.ts'
import { headlineOf } from './findings.ts'
import { durationOf, findingsOf, levelOf, linesOf } from './health.ts'
import { statusTexts } from './texts.ts'

const ready: Ready = {
  status: 'ready',
  parts: { flags: { state: 'current', ageSeconds: 1 }, auth: { state: 'current', ageSeconds: 0 } },
}
const gateway = (id: string, more: Partial<Gateway> = {}): Gateway => ({
  ...{ id, version: '1.0.0', startedAt: '2026-11-25T10:00:00Z', seenMsAgo: 200, dataAgeMs: 3000 },
  ...more,
})
const position = (id: string, revision: number) => ({
  ...{ id, version: '1.0.0', revision, ms: 41, seenMsAgo: 200 },
})
const propagation = (...positions: Propagation['positions']): Propagation => ({
  ...{ revision: 42, gateways: 2, reached: 1, settled: false, positions },
})
const findings = (gateways: readonly Gateway[], more: Partial<Ready> = {}, of?: Propagation) =>
  findingsOf({
    ...{ isOnline: true, ready: { ...ready, ...more }, gateways: linesOf(gateways, of) },
    failed: [],
  })

t.test('everything works', async (t) => {
  const found = findings([gateway('a')], {}, propagation(position('a', 42)))
  t.strictSame(found, [])
  t.equal(levelOf(found), 'fine')
  const nothing = { isOnline: true, ready: undefined, gateways: [], failed: [] }
  t.strictSame(findingsOf(nothing), [], 'not known yet')
})

t.test('what cannot be read is not taken for what works', async (t) => {
  const known = { isOnline: true, ready: undefined, gateways: linesOf([gateway('a')], undefined) }
  const found = findingsOf({ ...known, failed: ['ready', 'revisions'] })
  t.match(found, [
    { kind: 'unknown', part: 'ready' },
    { kind: 'unknown', part: 'revisions' },
  ])
  t.equal(levelOf(found), 'attention')
  t.equal(headlineOf(found, statusTexts.en), 'It is not known whether everything works')
  const notReady = { ...ready, status: 'not ready' } as const
  t.match(findingsOf({ ...known, ready: notReady, failed: ['gateways'] }), [
    { kind: 'notReady' },
    { kind: 'unknown' },
  ])
})

t.test('a server that does not answer is all there is to say', async (t) => {
  const gateways = linesOf([gateway('a')], undefined)
  const found = findingsOf({ isOnline: false, ready, gateways, failed: ['ready'] })
  t.strictSame(found, [{ kind: 'unreachable', level: 'failure' }])
  t.equal(levelOf(found), 'failure')
})

t.test('what the gateway says of itself', async (t) => {
  t.match(findings([], { status: 'draining' }), [{ kind: 'draining' }])
  const parts = { ...ready.parts, flags: { state: 'stale', ageSeconds: 31 } } as const
  const found = findings([], { status: 'not ready', parts })
  t.match(found, [{ kind: 'notReady' }, { kind: 'stale', part: 'flags', ageSeconds: 31 }])
  t.equal(levelOf(found), 'failure')
})

t.test('each gateway is counted once, by what is worst of it', async (t) => {
  const all = [
    gateway('a'),
    gateway('b', { seenMsAgo: 40_000, dataAgeMs: 50_000 }),
    gateway('c', { dataAgeMs: 31_000 }),
    gateway('d'),
  ]
  const behind = ['b', 'c', 'd'].map((id) => position(id, 41))
  t.strictSame(findings(all, {}, propagation(position('a', 42), ...behind)), [
    { kind: 'silent', level: 'attention', count: 1, total: 4 },
    { kind: 'old', level: 'attention', count: 1, total: 4 },
    { kind: 'behind', level: 'attention', count: 1, total: 4 },
  ])
})

t.test('a caller of one namespace knows gateways by its positions', async (t) => {
  const lines = linesOf(undefined, propagation(position('b', 0), position('a', 42)))
  t.match(lines, [
    { id: 'a', revision: 42, ms: 41, isBehind: false },
    { id: 'b', revision: undefined, isBehind: true },
  ])
  t.equal(lines[0]?.startedAt, undefined)
})

t.test('durations are in the greatest unit that fits', async (t) => {
  t.strictSame(durationOf(3 * 86_400_000 + 5), [3, 'day'])
  t.strictSame(durationOf(3_600_000), [1, 'hour'])
  t.strictSame(durationOf(59_999), [59, 'second'])
  t.strictSame(durationOf(-5), [0, 'second'])
})
