import t from 'tap'
import type { Token } from '../../data/token.ts'
import { isExpiring, isPast, pick } from './list.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

const token = (name: string, more: Partial<Token> = {}): Token => ({
  id: name,
  name,
  description: '',
  namespaceKey: '',
  createdAt: '2026-11-01T00:00:00Z',
  expiresAt: undefined,
  use: undefined,
  allowedAddresses: [],
  previousSecretExpiresAt: undefined,
  isFirst: false,
  isWorkload: false,
  isCli: false,
  ...more,
})

const names = (tokens: readonly Token[]) => tokens.map(({ name }) => name)

t.test('a token expires soon in its last seven days, and not after', async (t) => {
  t.equal(isExpiring(token('a', { expiresAt: '2026-12-02T11:59:59Z' }), now), true)
  t.equal(isExpiring(token('a', { expiresAt: '2026-12-02T12:00:01Z' }), now), false)
  t.equal(isExpiring(token('a', { expiresAt: '2026-11-25T11:59:59Z' }), now), false)
  t.equal(isExpiring(token('a'), now), false)
  t.equal(isPast('2026-11-25T12:00:00Z', now), true)
  t.equal(isPast('2026-11-25T12:00:01Z', now), false)
  t.equal(isPast(undefined, now), false)
})

t.test('tokens are found by name, description, address and id', async (t) => {
  const tokens = [
    token('Shop', { description: 'The web shop' }),
    token('ci', { allowedAddresses: ['10.0.0.0/8'] }),
    token('e2e', { id: '0b5f6a5e' }),
  ]
  t.strictSame(names(pick(tokens, { q: 'WEB' }, now)), ['Shop'])
  t.strictSame(names(pick(tokens, { q: '10.0' }, now)), ['ci'])
  t.strictSame(names(pick(tokens, { q: '0b5f' }, now)), ['e2e'])
  t.strictSame(names(pick(tokens, { q: 'nothing' }, now)), [])
})

t.test('filters keep what they name', async (t) => {
  const use = { lastAt: '2026-11-25T11:00:00Z', lastAddress: '', count: 1 }
  const tokens = [
    token('everywhere', { use }),
    token('shop', { namespaceKey: 'shop', expiresAt: '2026-11-27T00:00:00Z', use }),
    token('old', { namespaceKey: 'shop', expiresAt: '2026-11-20T00:00:00Z', use }),
    token('idle'),
  ]
  t.strictSame(names(pick(tokens, { works: 'shop' }, now)), ['old', 'shop'])
  t.strictSame(names(pick(tokens, { works: '*' }, now)), ['everywhere', 'idle'])
  t.strictSame(names(pick(tokens, { state: 'expiring' }, now)), ['shop'])
  t.strictSame(names(pick(tokens, { state: 'expired' }, now)), ['old'])
  t.strictSame(names(pick(tokens, { state: 'unused' }, now)), ['idle'])
})

t.test('they are sorted; what never expires comes last, and what was never used too', async (t) => {
  const used = (lastAt: string) => ({ lastAt, lastAddress: '', count: 1 })
  const tokens = [
    token('b', { createdAt: '2026-01-01T00:00:00Z', use: used('2026-11-01T00:00:00Z') }),
    token('A', { createdAt: '2026-02-01T00:00:00Z', expiresAt: '2027-01-01T00:00:00Z' }),
    token('a10', { createdAt: '2026-03-01T00:00:00Z', use: used('2026-11-02T00:00:00Z') }),
    token('a9', { createdAt: '2026-04-01T00:00:00Z', expiresAt: '2026-12-01T00:00:00Z' }),
  ]
  t.strictSame(names(pick(tokens, {}, now)), ['A', 'a9', 'a10', 'b'])
  t.strictSame(names(pick(tokens, { sort: '-name' }, now)), ['b', 'a10', 'a9', 'A'])
  t.strictSame(names(pick(tokens, { sort: 'createdAt' }, now)), ['b', 'A', 'a10', 'a9'])
  t.strictSame(names(pick(tokens, { sort: '-createdAt' }, now)), ['a9', 'a10', 'A', 'b'])
  t.strictSame(names(pick(tokens, { sort: 'expiresAt' }, now)), ['a9', 'A', 'a10', 'b'])
  t.strictSame(names(pick(tokens, { sort: '-usedAt' }, now)), ['a10', 'b', 'A', 'a9'])
})
