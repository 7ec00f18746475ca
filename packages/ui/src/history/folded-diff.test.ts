import t from 'tap'
import { foldedDiff } from './folded-diff.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, place) => `line ${place}`)
const tell = (count: number) => `${count} same`

t.test('what differs is shown with three lines around it', async (t) => {
  const before = numbers(40)
  const after = before.with(20, 'changed')
  const { lines, cut } = foldedDiff(before.join('\n'), after.join('\n'), tell)
  t.strictSame(
    lines.map(({ kind, text }) => `${kind[0]} ${text}`),
    [
      's ⋯ 17 same',
      ...['s line 17', 's line 18', 's line 19', 'r line 20', 'a changed'],
      ...['s line 21', 's line 22', 's line 23', 's ⋯ 16 same'],
    ],
  )
  t.equal(cut, 0)
})

t.test('there is a bound', async (t) => {
  const { lines, cut } = foldedDiff('', numbers(5000).join('\n'), tell)
  t.equal(lines.length, 1000)
  t.equal(cut, 4000)
  t.ok(
    lines.every(({ kind }) => kind === 'added'),
    'nothing is removed where nothing was',
  )
})
