import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import { allowedAccounts, findBoundless } from './allowed-accounts.ts'

type Case = [entries: string[], account: string, boundTo: string | null]

t.test('an account may log in when an entry fits, bound as the first such says', async (t) => {
  for (const [entries, account, boundTo] of readFixture<{ cases: Case[] }>(
    'auth/allowed-accounts.yml',
  ).cases) {
    const [namespace = '', name = ''] = account.split(':')
    const message = `${entries} and ${account}`
    t.equal(allowedAccounts(entries)({ namespace, name }), boundTo ?? undefined, message)
  }
})

t.test('entries for all accounts are distinguished from those that only have stars', async (t) => {
  t.strictSame(findBoundless(['*', '*:*', '*=a', '*:*=a', '*:a', 'a:*', '*a:*', 'a:b=c']), [
    '*',
    '*:*',
    '*=a',
    '*:*=a',
  ])
})
