import t from 'tap'
import { readCases } from '../../cases.test.support.ts'
import { nextPage } from './api.ts'

t.test('finds the link whose relation is next, wherever it stands', async (t) => {
  const { next, named, none } = readCases<{
    next: string
    named: string[]
    none: (string | null)[]
  }>('next-page')
  for (const link of named) t.equal(nextPage(link), next, link)
  for (const link of none) t.equal(nextPage(link), undefined, String(link))
})
