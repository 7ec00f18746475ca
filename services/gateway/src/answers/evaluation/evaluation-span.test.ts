import type { BooleanEvaluation, CompiledFlag } from '@svc/evaluation'
import { contextOf, startSpan, within } from '@svc/telemetry'
import { recordSpans } from '@svc/telemetry/testing'
import t from 'tap'
import { noteOnSpan } from './evaluation-span.ts'

t.test('of many evaluations in a request the first 32 are events of its span', async (t) => {
  const spans = recordSpans(t)
  const evaluation = {
    enabled: true,
    reason: 'MATCH_EVALUATION_REASON',
    segmentKeys: [],
  } as unknown as BooleanEvaluation
  for (const count of [40, 3]) {
    const description = { name: 'work', kind: 'server', attributes: {} } as const
    const { span, context } = startSpan(description, contextOf({}))
    within(context, () => {
      for (let i = 0; i < count; i++) {
        const flag = { key: `f-${i}` } as CompiledFlag
        noteOnSpan(
          { namespaceKey: 'default', flag, entity: { id: 'a' } as never, evaluation },
          false,
        )
      }
    })
    span.end()
    const keys = spans()
      .at(-1)
      ?.events.map(({ attributes }) => attributes?.['feature_flag.key'])
    t.strictSame(
      keys,
      Array.from({ length: Math.min(count, 32) }, (_, i) => `f-${i}`),
    )
  }
})
