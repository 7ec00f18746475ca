import t from 'tap'
import { formatIn } from '../../text/format.ts'
import { holds } from './holds.ts'
import { settingsTexts } from './texts.ts'

const say = (flagCount: number, segmentCount: number) =>
  holds({ flagCount, segmentCount }, settingsTexts.en, formatIn('en'))

t.test('what a namespace holds is said without what it does not hold', async (t) => {
  t.equal(say(1200, 1), '1,200 flags and 1 segment')
  t.equal(say(1, 0), '1 flag')
  t.equal(say(0, 3), '3 segments')
  t.equal(say(0, 0), '')
})
