import type { Explanation } from '@svc/client/api'
import t from 'tap'
import { answerOf } from './reason.ts'

const explanation = (more: Partial<Explanation>): Explanation => ({
  namespaceKey: 'default',
  flagKey: 'hello-world',
  entityId: 'user-42',
  revision: 1,
  algorithm: 1,
  type: 'BOOLEAN_FLAG_TYPE',
  enabled: false,
  reason: 'DEFAULT_EVALUATION_REASON',
  segmentKeys: [],
  steps: [],
  decidedBy: 0,
  notes: [],
  ...more,
})
const step = { place: 1, verdict: 'NOT_MATCHED_VERDICT', operator: 'OR_SEGMENT_OPERATOR' } as const
const steps = [{ ...step, segments: [], serves: 'true' }]

t.test('a boolean flag answers by its own state, or by a rollout', async (t) => {
  const off = { boolean: { enabled: false } }
  t.strictSame(answerOf(explanation(off)), { kind: 'off', why: 'everyone', place: 0 })
  t.strictSame(answerOf(explanation({ ...off, steps })), { kind: 'off', why: 'rest', place: 0 })
  const on = { boolean: { enabled: true }, steps, decidedBy: 1 }
  t.strictSame(answerOf(explanation(on)), { kind: 'on', why: 'rollout', place: 1 })
})

t.test('a variant flag answers by a rule, its default, or its being disabled', async (t) => {
  const variant = (variantKey: string, more: Partial<Explanation> = {}) =>
    answerOf(
      explanation({
        type: 'VARIANT_FLAG_TYPE',
        enabled: true,
        variant: { match: false, variantKey, variantAttachment: '' },
        ...more,
      }),
    )
  t.strictSame(variant('blue'), { kind: 'variant', name: 'blue', why: 'everyone', place: 0 })
  t.strictSame(variant('blue', { steps }), { kind: 'variant', name: 'blue', why: 'rest', place: 0 })
  t.strictSame(variant('red', { steps, decidedBy: 2 }), {
    kind: 'variant',
    name: 'red',
    why: 'rule',
    place: 2,
  })
  t.strictSame(variant('blue', { enabled: false }), {
    kind: 'variant',
    name: 'blue',
    why: 'disabled',
    place: 0,
  })
  t.strictSame(variant(''), { kind: 'nothing', why: 'everyone', place: 0 })
})
