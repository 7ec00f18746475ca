import t from 'tap'
import { chosenSegments, presentSegments, toSegmentChoice } from './segment-choice.ts'

const and = 'AND_SEGMENT_OPERATOR'
const choice = (segmentKey: string, ...segmentKeys: string[]) =>
  toSegmentChoice({ segmentKey, segmentKeys, segmentOperator: and })

t.test('a single segment has nothing to be combined with', async (t) => {
  const one = { segmentKey: 'a', segmentKeys: [], segmentOperator: 'OR_SEGMENT_OPERATOR' }
  t.strictSame(choice('a'), one)
  t.strictSame(choice('', 'a'), one)
  t.strictSame(choice('', 'a', 'a'), one)
})

t.test('several segments keep their order and operator, each of them once', async (t) => {
  const several = { segmentKey: '', segmentKeys: ['b', 'a'], segmentOperator: and }
  t.strictSame(choice('', 'b', 'a', 'b'), several)
})

t.test('refuses none, and both ways together', async (t) => {
  const field = 'invalid field segmentKey or segmentKeys'
  t.throws(() => choice(''), { message: `${field}: must not be empty` })
  t.throws(() => choice('a', 'b'), { message: `${field}: only one can be present` })
})

t.test('what is presented names what was chosen', async (t) => {
  for (const keys of [['a'], ['a', 'b'], ['c', 'b', 'a']]) {
    t.strictSame(chosenSegments(presentSegments(keys)), keys)
  }
})
