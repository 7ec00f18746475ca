import t from 'tap'
import { mergeTags } from './tags.ts'

t.test('an edit of tags leaves those of others', async (t) => {
  const merge = (opened: string, edited: string, present: string) =>
    mergeTags(
      ...([opened, edited, present].map((text) => text.split(' ').filter(Boolean)) as [
        string[],
        string[],
        string[],
      ]),
    ).join(' ')
  t.equal(merge('one', 'one', 'one pci owner-tom'), 'one pci owner-tom', 'nothing was edited')
  t.equal(merge('one', 'one two', 'one pci'), 'one pci two')
  t.equal(merge('one two', 'two', 'one two pci'), 'two pci')
  t.equal(merge('', 'two', 'pci'), 'pci two')
  t.equal(merge('one', 'one two', 'two'), 'two', 'others took one away, and added the same')
  t.equal(merge('one', '', ''), '')
})
