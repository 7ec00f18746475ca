import t from 'tap'
import type { Token } from '../../data/token.ts'
import { appTokens, stepsOf } from './steps.ts'

const now = Date.parse('2026-11-25T12:00:00Z')
const token = (id: string, more: Partial<Token> = {}): Token => ({
  id,
  name: id,
  description: '',
  namespaceKey: 'shop',
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
const use = { lastAt: '2026-11-25T11:00:00Z', lastAddress: '10.0.0.7', count: 1 }

t.test('tokens for applications of the namespace, the newest first', async (t) => {
  const tokens = [
    token('first', { namespaceKey: '', isFirst: true }),
    token('old', { createdAt: '2026-10-01T00:00:00Z' }),
    token('new'),
    token('laptop', { isCli: true }),
    token('other', { namespaceKey: 'staging' }),
    token('past', { expiresAt: '2026-11-25T11:59:59Z' }),
    token('all', { namespaceKey: '', createdAt: '2026-09-01T00:00:00Z' }),
  ]
  t.strictSame(
    appTokens(tokens, 'shop', now).map(({ id }) => id),
    ['new', 'old'],
  )
})

t.test('steps tick themselves, in any order; the first that is open is the next', async (t) => {
  const open = { hasFlag: false, hasAsked: false, tokens: [] }
  t.strictSame(stepsOf(open), { done: [false, false, false, false], current: 0 })
  t.strictSame(stepsOf({ ...open, hasFlag: true }).current, 1)
  t.strictSame(stepsOf({ ...open, hasFlag: true, hasAsked: true }).current, 2)
  t.strictSame(stepsOf({ hasFlag: true, hasAsked: true, tokens: [token('a')] }), {
    done: [true, true, true, false],
    current: 3,
  })
  t.strictSame(stepsOf({ hasFlag: true, hasAsked: false, tokens: [token('a', { use })] }), {
    done: [true, true, true, true],
    current: 4,
  })
  t.strictSame(stepsOf({ ...open, tokens: [token('a', { use })] }).done, [
    false,
    false,
    true,
    false,
  ])
})
