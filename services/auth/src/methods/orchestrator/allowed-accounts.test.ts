import t from 'tap'
import { allowedAccounts, findBoundless } from './allowed-accounts.ts'

const admission = (entries: readonly string[], account: string) => {
  const [namespace = '', name = ''] = account.split(':')
  return allowedAccounts(entries)({ namespace, name })
}

t.test('an account may log in when an entry fits', async (t) => {
  const cases: readonly (readonly [entry: string, account: string, fits: boolean])[] = [
    ['shop:client', 'shop:client', true],
    ['shop:client', 'shop:client2', false],
    ['shop:client', 'shop2:client', false],
    ['shop:client', 'client:shop', false],
    ['shop:*', 'shop:anything.at-all', true],
    ['shop:*', 'shopping:anything', false],
    ['*:client', 'shop:client', true],
    ['*:client', 'shop:other', false],
    ['team-*:web-*', 'team-a:web-1', true],
    ['team-*:web-*', 'team-a:worker', false],
    ['team-*:web-*', 'a-team-a:web-1', false],
    ['*-prod:*', 'shop-prod:x', true],
    ['*-prod:*', 'shop-prod-not:x', false],
    ['a.b:c', 'a.b:c', true],
    ['a.b:c', 'axb:c', false],
    ['shop:a.c', 'shop:abc', false],
    ['*', 'any:thing', true],
    ['*:*', 'any:thing', true],
  ]
  for (const [entry, account, fits] of cases) {
    t.equal(admission([entry], account) !== undefined, fits, `${entry} and ${account}`)
  }
})

t.test('no account is allowed by an empty list', async (t) => {
  t.equal(admission([], 'shop:client'), undefined)
})

t.test('an entry binds to a namespace, and the first that fits decides', async (t) => {
  t.equal(admission(['shop:client=Prod_1'], 'shop:client'), 'Prod_1')
  t.equal(admission(['*=only-here'], 'shop:client'), 'only-here')
  t.equal(admission(['shop:client'], 'shop:client'), '')
  const entries = ['shop:admin', 'shop:*=shop', '*:*=rest']
  t.equal(admission(entries, 'shop:admin'), '')
  t.equal(admission(entries, 'shop:client'), 'shop')
  t.equal(admission(entries, 'bank:client'), 'rest')
})

t.test('entries for all accounts are told from those that only have stars', async (t) => {
  t.strictSame(findBoundless(['*', '*:*', '*=a', '*:*=a', '*:a', 'a:*', '*a:*', 'a:b=c']), [
    '*',
    '*:*',
    '*=a',
    '*:*=a',
  ])
})
