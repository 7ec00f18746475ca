import fc from 'fast-check'
import t from 'tap'
import {
  compact,
  isAnySet,
  only,
  parseSearch,
  readMark,
  readNumber,
  readText,
  readTexts,
  readWord,
  stringifySearch,
} from './search.ts'

t.test('a URL is read and written', async (t) => {
  t.strictSame(parseSearch('?q=a&tag=x&tag=y&new'), { q: 'a', tag: ['x', 'y'], new: '' })
  t.equal(
    stringifySearch({ q: 'a b', tag: ['x', 'y,z'], new: true, page: 2 }),
    '?q=a%20b&tag=x&tag=y,z&new&page=2',
  )
  t.equal(stringifySearch({ q: undefined, is: false }), '')
  t.equal(stringifySearch({ ns: [] }), '?ns')
})

t.test('a name that every object has is one as any other', async (t) => {
  t.same(Object.entries(parseSearch('?constructor=a')), [['constructor', 'a']])
})

t.test('what is written is read as it was', async () => {
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]+$/), texts), (search) => {
      const read = parseSearch(stringifySearch(search))
      return JSON.stringify(Object.entries(read)) === JSON.stringify(Object.entries(search))
    }),
  )
})

t.test('values that mean nothing are as if they were not there', async (t) => {
  t.equal(readText(''), undefined)
  t.equal(readText(['a']), undefined)
  t.strictSame(readTexts('a'), ['a'])
  t.equal(readTexts(''), undefined)
  for (const wrong of ['0', '-1', '1.5', 'x', '', undefined, '1e99'])
    t.equal(readNumber(wrong), undefined)
  t.equal(readNumber('7'), 7)
  t.equal(readWord('c', ['a', 'b']), undefined)
  t.equal(readMark('x'), undefined)
  t.equal(readMark(''), true)
  t.strictSame(compact({ a: undefined, b: 1 }), { b: 1 })
})

t.test('a page is told of nothing that it does not read', async (t) => {
  const read = only((search: Record<string, unknown>) => compact({ back: readText(search.back) }))
  // As the router does it.
  const told = (search: Record<string, unknown>) => ({ ...search, ...read(search) })
  t.strictSame(told({ back: 'a', other: 'b' }), { back: 'a', other: undefined })
  t.strictSame(told({ back: ['a'] }), { back: undefined })
  t.equal(isAnySet(told({ back: ['a'] }), ['back']), false)
  t.equal(isAnySet(told({ back: 'a' }), ['back']), true)
})
