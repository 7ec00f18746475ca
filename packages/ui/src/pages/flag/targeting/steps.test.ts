import t from 'tap'
import { booleanFlag, inSegments, percent, rule, variantFlag } from './fixtures.test.support.ts'
import {
  copyStep,
  isForAll,
  moveStep,
  newId,
  removeStep,
  restoreStep,
  segmentsOf,
  setSegments,
  stepsOf,
  turnOperator,
} from './steps.ts'

const flag = booleanFlag(percent('a', 10), percent('b', 20), percent('c', 30), percent('d', 40))
const order = (of: typeof flag) =>
  stepsOf(of)
    .map(({ id }) => id)
    .join('')

t.test('a step moves to a place, and stays inside', async (t) => {
  t.equal(order(moveStep(flag, 'c', 0)), 'cabd')
  t.equal(order(moveStep(flag, 'a', 2)), 'bcad')
  t.equal(order(moveStep(flag, 'a', -1)), 'abcd')
  t.equal(order(moveStep(flag, 'b', 99)), 'acdb')
  t.equal(moveStep(flag, 'x', 0), flag, 'there is none')
})

t.test('a step that was taken out comes back where it stood', async (t) => {
  const without = removeStep(removeStep(flag, 'b'), 'c')
  t.equal(order(without), 'ad')
  t.equal(order(restoreStep(without, flag, 'c')), 'acd')
  t.equal(order(restoreStep(restoreStep(without, flag, 'c'), flag, 'b')), 'abcd')
  t.equal(order(restoreStep(removeStep(flag, 'a'), flag, 'a')), 'abcd', 'at the top')
  t.equal(
    order(restoreStep(moveStep(without, 'a', 1), flag, 'b')),
    'dab',
    'after the one before it',
  )
  t.equal(restoreStep(flag, flag, 'b'), flag, 'it is there')
})

t.test('segments and their word', async (t) => {
  const two = setSegments(booleanFlag(inSegments('a', 'staff')), 'a', ['staff', 'beta'])
  const [step] = stepsOf(turnOperator(two, 'a'))
  t.strictSame(step && segmentsOf(step), ['staff', 'beta'])
  t.ok(step && isForAll(step))
  const [back] = stepsOf(turnOperator(turnOperator(two, 'a'), 'a'))
  t.notOk(back && isForAll(back))
  t.equal(stepsOf(setSegments(flag, 'a', ['staff']))[0], flag.rollouts[0], 'not of a percentage')
  const [changed] = stepsOf(setSegments(variantFlag(rule('r', { blue: 100 })), 'r', []))
  t.strictSame(changed && segmentsOf(changed), [])
})

t.test('a copy is a step of its own, below', async (t) => {
  const copied = copyStep(variantFlag(rule('r', { blue: 60, green: 40 })), 'r')
  const [was, copy] = copied.rules
  t.not(copy?.id, was?.id)
  t.strictSame(copy?.segments, was?.segments)
  const ids = copied.rules.flatMap(({ distributions }) => distributions.map(({ id }) => id))
  t.equal(new Set(ids).size, 4)
})

t.test('ids are random UUIDs', async (t) => {
  t.match(newId(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.not(newId(), newId())
})
