import type { EvaluationContext, EvaluationDetails, FlagValue } from '@openfeature/core'

/** One question, and what a provider has to answer. */
export interface EvaluationCase {
  readonly what: string
  readonly flagKey: string
  readonly fallback: FlagValue
  readonly context?: EvaluationContext
  /** What the details have besides the key; of an error without the message. */
  readonly expected: Partial<EvaluationDetails<FlagValue>>
  /** Where that is different in pages: OFREP has other reasons. */
  readonly inPages?: Partial<EvaluationDetails<FlagValue>>
}

const staff = { targetingKey: 'alice', role: 'staff' }
const guest = { targetingKey: 'bob', role: 'guest' }
const color = { hex: '#00f', dark: false, parts: [0, 0, 255] }

/** The value is the flag's: 2.2.3, 2.2.4, 2.2.5. */
export const served: readonly EvaluationCase[] = [
  {
    what: 'a boolean flag that is on',
    flagKey: 'on',
    fallback: false,
    expected: { value: true, variant: 'true', reason: 'DEFAULT' },
  },
  {
    what: 'false is a value',
    flagKey: 'off',
    fallback: true,
    expected: { value: false, variant: 'false', reason: 'DEFAULT' },
  },
  {
    what: 'a boolean flag by a segment',
    flagKey: 'staff-only',
    fallback: false,
    context: staff,
    expected: { value: true, variant: 'true', reason: 'TARGETING_MATCH' },
  },
  {
    what: 'a boolean flag by a segment, for another context',
    flagKey: 'staff-only',
    fallback: true,
    context: guest,
    expected: { value: false, variant: 'false', reason: 'DEFAULT' },
  },
  {
    what: 'a boolean flag by a percentage',
    flagKey: 'everyone',
    fallback: false,
    context: guest,
    expected: { value: true, variant: 'true', reason: 'SPLIT' },
    inPages: { reason: 'TARGETING_MATCH' },
  },
  {
    what: 'a variant by a rule, as text',
    flagKey: 'color',
    fallback: 'green',
    context: staff,
    expected: { value: 'blue', variant: 'blue', reason: 'TARGETING_MATCH' },
  },
  {
    what: 'a default variant is served',
    flagKey: 'color',
    fallback: 'green',
    context: guest,
    expected: { value: 'grey', variant: 'grey', reason: 'DEFAULT' },
  },
  {
    what: 'the default variant of a flag that is off is served',
    flagKey: 'disabled-preset',
    fallback: 'green',
    expected: { value: 'grey', variant: 'grey', reason: 'DISABLED' },
  },
  {
    what: 'an attachment, as an object',
    flagKey: 'color',
    fallback: {},
    context: staff,
    expected: { value: color, variant: 'blue', reason: 'TARGETING_MATCH' },
  },
  {
    what: 'an attachment, as a list',
    flagKey: 'list',
    fallback: [],
    expected: { value: [1, 'two'], variant: 'list', reason: 'DEFAULT' },
  },
  { ...number('ten', 10, '10'), what: 'a key that is a number' },
  { ...number('zero', 0, '0'), what: 'zero is a value' },
  { ...number('negative', -5, '-5'), what: 'a number below zero' },
  { ...number('large', 2_147_483_647, '2147483647'), what: 'the largest number of 32 bits' },
  {
    ...number('huge', Number.MAX_SAFE_INTEGER, '9007199254740991'),
    what: 'the largest whole number that is exact',
  },
  { ...number('half', 0.5, 'half'), what: 'an attachment that is a number' },
  { ...number('nothing-attached', 0, 'none'), what: 'an attachment that is zero' },
  {
    what: 'a flag with attachments, asked for its variant',
    flagKey: 'half',
    fallback: '',
    expected: { value: 'half', variant: 'half', reason: 'DEFAULT' },
  },
  {
    what: 'one user, by the targeting key',
    flagKey: 'user-42',
    fallback: '',
    context: { targetingKey: 'user-42' },
    expected: { value: 'hit', reason: 'TARGETING_MATCH' },
  },
  {
    what: 'another user',
    flagKey: 'user-42',
    fallback: '',
    context: { targetingKey: 'user-43' },
    expected: { value: 'miss', reason: 'DEFAULT' },
  },
  {
    what: 'no user at all',
    flagKey: 'user-42',
    fallback: '',
    context: {},
    expected: { value: 'miss', reason: 'DEFAULT' },
  },
  {
    what: 'a context makes no difference to a flag without rules',
    flagKey: 'on',
    fallback: false,
    context: { targetingKey: 'a', deep: { list: [1, { a: null }] }, no: null, yes: true, n: 0.1 },
    expected: { value: true, reason: 'DEFAULT' },
  },
]

/** Types of values in the context: 3.1.1, 3.1.2. */
export const contexts: readonly EvaluationCase[] = [
  { ...context('grown-up', { age: 18 }), what: 'a number' },
  { ...context('grown-up', { age: '18' }), what: 'a number as text' },
  { ...context('grown-up', { age: 17 }, false), what: 'a number below' },
  { ...context('grown-up', { age: null }, false), what: 'nothing' },
  { ...context('early', { since: new Date('2025-12-31T23:59:59Z') }), what: 'a date' },
  { ...context('early', { since: '2025-12-31' }), what: 'a date as text' },
  { ...context('early', { since: new Date('2026-01-01T00:00:00Z') }, false), what: 'a date after' },
  { ...context('early', { since: new Date('never') }, false), what: 'a date that is none' },
  {
    ...context('by-targeting-key', { targetingKey: 'user-42' }),
    what: 'the targeting key, as OFREP has it',
  },
  { ...context('by-targeting-key', { targetingKey: 'user-43' }, false), what: 'another one' },
]

/** The application's own value, and no error: nothing is served. */
export const unserved: readonly EvaluationCase[] = [
  {
    what: 'no rule matches and there is no default variant',
    flagKey: 'rule-only',
    fallback: 'green',
    context: guest,
    expected: { value: 'green', reason: 'DEFAULT' },
  },
  {
    what: 'the same, asked for a number',
    flagKey: 'rule-only',
    fallback: 7,
    context: guest,
    expected: { value: 7, reason: 'DEFAULT' },
  },
  {
    what: 'the same, asked for an object',
    flagKey: 'rule-only',
    fallback: { a: 1 },
    context: guest,
    expected: { value: { a: 1 }, reason: 'DEFAULT' },
  },
  {
    what: 'the flag is off and has no default variant',
    flagKey: 'disabled',
    fallback: 'green',
    context: staff,
    expected: { value: 'green', reason: 'DISABLED' },
  },
  {
    what: 'the same, asked for a number that would be its attachment',
    flagKey: 'disabled',
    fallback: 1,
    context: staff,
    expected: { value: 1, reason: 'DISABLED' },
  },
]

const fallbacks = { boolean: true, string: 'green', number: 7, object: { a: 1 } } as const

/** Asked for a type that the flag does not have: 1.3.4, 2.2.7. */
export const mismatches: readonly EvaluationCase[] = (
  [
    ['on', ['string', 'number', 'object']],
    ['color', ['boolean', 'number']],
    ['rule-only', ['boolean']],
    ['disabled', ['boolean']],
    ['ten', ['boolean', 'object']],
    ['half', ['boolean', 'object']],
    ['beyond', ['number']],
    ['list', ['boolean', 'number']],
    ['null', ['number', 'object']],
    ['text', ['boolean', 'number', 'object']],
  ] as const
).flatMap(([flagKey, types]) =>
  types.map((type) => ({
    what: `${flagKey} is no ${type}`,
    flagKey,
    fallback: fallbacks[type],
    context: guest,
    expected: { value: fallbacks[type], reason: 'ERROR', errorCode: 'TYPE_MISMATCH' as never },
  })),
)

/** There is no such flag: 2.2.7. */
export const missing: readonly EvaluationCase[] = Object.entries(fallbacks).flatMap(
  ([type, fallback]) =>
    ['gone', '', 'constructor', '__proto__', 'ä b/c'].map((flagKey) => ({
      what: `"${flagKey}" as ${type}`,
      flagKey,
      fallback,
      context: guest,
      expected: { value: fallback, reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' as never },
    })),
)

function number(flagKey: string, value: number, variant: string) {
  return { flagKey, fallback: 77, expected: { value, variant, reason: 'DEFAULT' } }
}

function context(flagKey: string, context: EvaluationContext, value = true) {
  const reason = value ? 'TARGETING_MATCH' : 'DEFAULT'
  return { flagKey, fallback: !value, context, expected: { value, reason } }
}
