import t from 'tap'
import type { ConstraintRecord } from './records.ts'
import { defineSegment, newSegment, segmentMatches } from './segment.ts'
import { isText, segment } from './testing/records.ts'

const isPro = isText('plan', 'pro')
const isGerman = isText('country', 'DE')
const isNonsense: ConstraintRecord = { ...isPro, type: 'NUMBER_COMPARISON_TYPE' }

function compile(constraints: readonly ConstraintRecord[], matchType: string) {
  const compiled = newSegment('segment')
  defineSegment(compiled, segment('segment', constraints, matchType))
  return compiled
}

t.test('a segment without constraints holds everyone', async (t) => {
  for (const matchType of ['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE']) {
    t.ok(segmentMatches(compile([], matchType), '', {}), matchType)
  }
})

t.test('ALL asks for every constraint', async (t) => {
  const all = compile([isPro, isGerman], 'ALL_MATCH_TYPE')
  t.ok(segmentMatches(all, '', { plan: 'pro', country: 'DE' }))
  t.notOk(segmentMatches(all, '', { plan: 'pro' }))
  t.notOk(segmentMatches(all, '', { country: 'DE' }))
})

t.test('ANY asks for one constraint', async (t) => {
  const any = compile([isPro, isGerman], 'ANY_MATCH_TYPE')
  t.ok(segmentMatches(any, '', { plan: 'pro' }))
  t.ok(segmentMatches(any, '', { country: 'DE' }))
  t.notOk(segmentMatches(any, '', { plan: 'free', country: 'FR' }))
})

t.test('a constraint that makes no sense does not stop the others', async (t) => {
  t.ok(segmentMatches(compile([isNonsense, isGerman], 'ANY_MATCH_TYPE'), '', { country: 'DE' }))
  t.notOk(segmentMatches(compile([isGerman, isNonsense], 'ALL_MATCH_TYPE'), '', { country: 'DE' }))
})
