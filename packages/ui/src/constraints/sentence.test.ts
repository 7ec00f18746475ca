import t from 'tap'
import { formatIn } from '../text/format.ts'
import { membersOf, plain, sentenceOf } from './sentence.ts'
import { de } from './texts.de.ts'
import { constraintTexts } from './texts.ts'

const { en } = constraintTexts

const country = {
  type: 'STRING_COMPARISON_TYPE',
  property: 'country',
  operator: 'isoneof',
  value: '["DE","FR"]',
} as const
const missing = {
  type: 'BOOLEAN_COMPARISON_TYPE',
  property: 'opted_out',
  operator: 'notpresent',
  value: '',
} as const

t.test('a constraint is a sentence', async (t) => {
  const say = (constraint: Parameters<typeof sentenceOf>[0]) =>
    plain(sentenceOf(constraint, en, formatIn('en')))
  t.equal(say(country), 'country is one of DE, FR')
  t.equal(say({ ...country, value: '["A","B","C","D"]' }), 'country is one of 4 values')
  t.equal(say(missing), 'opted_out is missing')
  t.equal(
    say({
      type: 'DATETIME_COMPARISON_TYPE',
      property: 'signed_up',
      operator: 'lt',
      value: '2026-06-01',
    }),
    'signed_up is before 1 Jun 2026, 00:00 UTC',
  )
  t.equal(
    say({
      type: 'ENTITY_ID_COMPARISON_TYPE',
      property: 'entityId',
      operator: 'eq',
      value: 'user-1',
    }),
    'the entity is user-1',
  )
  t.equal(say({ ...country, operator: 'odd', value: 'x' }), 'country odd x')
})

t.test('who is in a segment is a sentence, too', async (t) => {
  const matchType = 'ALL_MATCH_TYPE' as const
  const say = (segment: Parameters<typeof membersOf>[0]) => membersOf(segment, en, formatIn('en'))
  t.equal(say({ matchType, constraints: [] }), 'It has no constraints')
  t.equal(
    say({ matchType, constraints: [country, missing] }),
    'country is one of DE, FR, and opted_out is missing',
  )
  t.equal(
    say({ matchType: 'ANY_MATCH_TYPE', constraints: [missing, missing, missing, missing] }),
    'opted_out is missing, or opted_out is missing, or opted_out is missing, or 1 more',
  )
  t.equal(
    membersOf({ matchType, constraints: [country] }, de, formatIn('de')),
    'country ist eins von DE, FR',
  )
})
