import fc from 'fast-check'
import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import { toLocalPath } from './flow.ts'

const here = 'https://flags.example.com'

t.test('goes to a path of this service', async (t) => {
  for (const path of ['/', '/flags', '/flags/a%2Fb?x=1&y=%20#top', '/#/flags', '/.//x', '/a//b']) {
    t.equal(toLocalPath(path), path)
  }
})

t.test('goes to the first page instead of anywhere else', async (t) => {
  const elsewhere = readFixture<string[]>('logins/redirects.json')
  t.ok(elsewhere.length >= 60, `the corpus is whole: ${elsewhere.length}`)
  const followed = [...elsewhere, `/${'a'.repeat(512)}`].filter((to) => toLocalPath(to) !== '/')
  t.strictSame(followed, [])
})

t.test('never leaves this origin, whatever is asked', async (t) => {
  const odd = fc.constantFrom('/', '\\', '.', ':', '@', '%', '\t', '\n', 'e', '?', '#', '%2f')
  const paths = fc.array(odd).map((parts) => `/${parts.join('')}`)
  const property = fc.property(
    fc.oneof(fc.string(), paths),
    (target) => new URL(toLocalPath(target), here).origin === here,
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }))
})
