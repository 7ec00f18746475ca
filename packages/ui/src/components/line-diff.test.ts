import fc from 'fast-check'
import t from 'tap'
import { diffLines } from './line-diff.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })

t.test(
  'lines that stay and that went are the old text, those that stay and came the new one',
  async () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before.join('\n'), after.join('\n'))
        const without = (kind: string) =>
          diff
            .filter((line) => line.kind !== kind)
            .map(({ text }) => text)
            .join('\n')
        return without('added') === before.join('\n') && without('removed') === after.join('\n')
      }),
    )
  },
)

t.test('as many lines stay as can', async (t) => {
  const kinds = diffLines('a\nb\nc\nd', 'a\nx\nc\nd').map(({ kind }) => kind)
  t.strictSame(kinds, ['same', 'removed', 'added', 'same', 'same'])
})
