import t from 'tap'
import {
  countChanges,
  isElseChanged,
  linesOf,
  movedOf,
  newSegmentsOf,
  problemsOf,
} from './changes.ts'
import { booleanFlag, inSegments, percent, rule, variantFlag } from './fixtures.test.support.ts'
import { addPercentage, setPercentage, setValue } from './rollouts.ts'
import { setDefault, setShare } from './split.ts'
import { moveStep, removeStep, setEnabled, setSegments } from './steps.ts'

const flag = booleanFlag(
  inSegments('beta', 'beta'),
  percent('quarter', 25),
  inSegments('partners', 'partners'),
)

t.test('changes are counted as a person would', async (t) => {
  t.equal(countChanges(flag, flag), 0)
  const more = setSegments(flag, 'beta', ['beta', 'staff'])
  const raised = setValue(setPercentage(more, 'quarter', 50), 'quarter', false)
  t.equal(countChanges(flag, raised), 2, 'one for each rollout')
  t.equal(countChanges(flag, removeStep(raised, 'partners')), 3)
  t.equal(countChanges(flag, addPercentage(flag, 75)), 1)
  t.equal(countChanges(flag, setEnabled(flag, true)), 1)
})

t.test('a step that was moved past others is one change', async (t) => {
  const moved = moveStep(flag, 'partners', 0)
  t.strictSame([...movedOf(flag, moved)], ['partners'])
  t.match(linesOf(flag, moved)[0], { state: 'edited', movedFrom: 2, place: 0 })
  t.equal(countChanges(flag, moved), 1)
  t.equal(countChanges(flag, setPercentage(moved, 'quarter', 30)), 2)
  t.equal(movedOf(flag, removeStep(flag, 'beta')).size, 0, 'nothing moves when one goes')
})

t.test('of flags with variants', async (t) => {
  const before = variantFlag(rule('r', { blue: 50, green: 50 }))
  t.equal(countChanges(before, setShare(before, 'r', 'blue', 40)), 1)
  t.equal(countChanges(before, setEnabled(setDefault(before, 'green'), false)), 2)
  t.ok(isElseChanged(before, setDefault(before, 'green')))
  t.notOk(isElseChanged(before, setEnabled(before, false)))
})

t.test('what was taken out stays where it stood', async (t) => {
  const without = addPercentage(removeStep(removeStep(flag, 'beta'), 'partners'), 75)
  const lines = linesOf(flag, setPercentage(without, 'quarter', 30))
  t.strictSame(
    lines.map(({ step, state, place }) => [state === 'added' ? '+' : step.id, state, place]),
    [
      ['beta', 'removed', undefined],
      ['quarter', 'edited', 0],
      ['partners', 'removed', undefined],
      ['+', 'added', 1],
    ],
  )
  t.equal(lines[1]?.was, flag.rollouts[1])
})

t.test('segments that are new in a step', async (t) => {
  const [was] = flag.rollouts
  const [step] = setSegments(flag, 'beta', ['staff', 'beta']).rollouts
  t.strictSame(step && [...newSegmentsOf(step, was)], ['staff'])
})

t.test('what keeps a draft from being saved', async (t) => {
  t.strictSame(problemsOf(setSegments(flag, 'partners', [])), [
    { kind: 'no-segment', id: 'partners', place: 2 },
  ])
  const over = variantFlag(rule('r', { blue: 50, green: 60 }))
  t.strictSame(problemsOf(over), [{ kind: 'over', id: 'r', place: 0, by: 10 }])
  t.strictSame(problemsOf(variantFlag(rule('r', { blue: 50 }))), [], 'a gap may be meant')
})
