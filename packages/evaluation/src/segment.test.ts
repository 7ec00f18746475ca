import t from 'tap'
import { type Context, toEntity } from './entity.ts'
import type { ConstraintRecord } from './records.ts'
import { defineSegment, isMember, newSegment, type Segment } from './segment.ts'
import { isText, segment } from './testing/records.ts'

const isPro = isText('plan', 'pro')
const isGerman = isText('country', 'DE')
const isNonsense: ConstraintRecord = { ...isPro, type: 'NUMBER_COMPARISON_TYPE' }

function compile(constraints: readonly ConstraintRecord[], matchType: string) {
  const compiled = newSegment('segment')
  defineSegment(compiled, segment('segment', constraints, matchType))
  return compiled
}

function segmentMatches(segment: Segment, id: string, context: Context): boolean {
  return isMember(segment, toEntity(id, context))
}

t.test('a segment without constraints holds every entity', async (t) => {
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

t.test('a segment that does not exist holds no entity, whatever it was', async (t) => {
  t.notOk(segmentMatches(newSegment('segment'), '', {}))
  for (const matchType of ['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE']) {
    const gone = compile([isPro], matchType)
    defineSegment(gone, undefined)
    t.notOk(segmentMatches(gone, '', { plan: 'pro' }), matchType)
  }
})

t.test('what is cached for one entity is not used for another', async (t) => {
  const all = compile([isPro], 'ALL_MATCH_TYPE')
  const [alice, bob] = [toEntity('', { plan: 'pro' }), toEntity('', { plan: 'free' })]
  for (const _ of [1, 2]) {
    t.ok(isMember(all, alice))
    t.ok(isMember(all, alice), 'asked again')
    t.notOk(isMember(all, bob))
  }
})

t.test('what was found out is forgotten when the segment changes', async (t) => {
  const changing = compile([isPro], 'ALL_MATCH_TYPE')
  const alice = toEntity('', { plan: 'pro' })
  t.ok(isMember(changing, alice))
  defineSegment(changing, segment('segment', [isGerman]))
  t.notOk(isMember(changing, alice))
  defineSegment(changing, segment('segment', []))
  t.ok(isMember(changing, alice))
  defineSegment(changing, undefined)
  t.notOk(isMember(changing, alice))
})
