import t from 'tap'
import type { Token } from '../../data/token.ts'
import { isInUse, isLastForAll } from './revoke-facts.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

const token = (id: string, more: Partial<Token> = {}): Token => ({
  id,
  name: id,
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

t.test('a token is in use that was used in the last seven days', async (t) => {
  const used = (lastAt: string) => token('a', { use: { lastAt, lastAddress: '', count: 1 } })
  t.equal(isInUse(used('2026-11-18T12:00:01Z'), now), true)
  t.equal(isInUse(used('2026-11-18T11:59:59Z'), now), false)
  t.equal(isInUse(token('a'), now), false)
})

t.test('the last token that works everywhere is known', async (t) => {
  const first = token('first')
  const bound = token('bound', { namespaceKey: 'shop' })
  const past = token('past', { expiresAt: '2026-11-25T11:00:00Z' })
  t.equal(isLastForAll(first, [first, bound, past], now), true)
  t.equal(isLastForAll(first, [first, token('mine')], now), false)
  t.equal(isLastForAll(bound, [bound, first], now), false, 'it can manage nothing anyway')
})
