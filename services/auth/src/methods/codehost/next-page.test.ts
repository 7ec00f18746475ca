import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import { nextPage } from './api.ts'

t.test('finds the link whose relation is next, wherever it stands', async (t) => {
  const { next, named, none } = readFixture<{
    next: string
    named: string[]
    none: (string | null)[]
  }>('auth/next-page.yml')
  for (const link of named) t.equal(nextPage(link), next, link)
  for (const link of none) t.equal(nextPage(link), undefined, String(link))
})
