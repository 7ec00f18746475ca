import t from 'tap'
import { readPages } from './read-pages.ts'

t.test('pages are read one after the other until the last one', async (t) => {
  const asked: (readonly [number, string])[] = []
  const { items, isCut } = await readPages(async (limit, pageToken) => {
    asked.push([limit, pageToken])
    return pageToken === ''
      ? { items: ['a', 'b'], nextPageToken: 'two' }
      : { items: ['c'], nextPageToken: '' }
  })
  t.strictSame(items, ['a', 'b', 'c'])
  t.equal(isCut, false)
  t.strictSame(asked, [
    [100, ''],
    [100, 'two'],
  ])
})

t.test('a list without an end is cut after ten pages', async (t) => {
  let count = 0
  const { items, isCut } = await readPages(async () => {
    count++
    return { items: [count], nextPageToken: 'more' }
  })
  t.equal(items.length, 10)
  t.equal(isCut, true)
})
