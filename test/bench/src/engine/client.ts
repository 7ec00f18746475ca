import { connect } from '@svc/client'
import type { FlagRecord, SegmentsRecord } from '@svc/evaluation'
import type { Contestant } from './contestant.ts'
import { flagRecords } from './ours.ts'
import {
  ask,
  booleanFlags,
  type Order,
  prepare,
  segments,
  type ToContext,
  toValues,
  variantFlags,
} from './workload.ts'

/** `@svc/client`, with all that it does around the engine: each evaluation is a call of its own. */
export async function startClient(
  order: Order,
  toContext: ToContext = toValues,
): Promise<Contestant> {
  const flags = await connect({ url: 'http://127.0.0.1:9', fetch: async () => answer() })
  const questionsOf = (asked: Parameters<typeof ask>[1]) =>
    prepare(ask(order, asked), toContext).map(({ entityId, context, flagKeys }) => {
      return { subject: { entityId, context }, flagKeys }
    })
  const booleans = questionsOf(booleanFlags)
  const variants = questionsOf(variantFlags)
  return {
    name: '@svc/client',
    evaluateBooleans(answers) {
      let i = 0
      for (const { subject, flagKeys } of booleans) {
        for (const flagKey of flagKeys) answers[i++] = flags.boolean(flagKey, subject, false)
      }
    },
    evaluateVariants(answers) {
      let i = 0
      for (const { subject, flagKeys } of variants) {
        for (const flagKey of flagKeys) answers[i++] = flags.variant(flagKey, subject, '')
      }
    },
    close: () => void flags.close(),
  }
}

/** A stream that has sent the flags and goes on. */
function answer(): Response {
  const bytes = new TextEncoder().encode(toEvent())
  const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes) })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function toEvent(): string {
  const lists = {
    deletedSegmentKeys: [],
    segments: segments.map(({ key, matchType, constraints }) => ({ key, matchType, constraints })),
    deletedFlagKeys: [],
    flags: flagRecords().map(toRecord),
  }
  const texts = Object.entries(lists).map(([name, items]) => {
    const lines = items.map((item) => JSON.stringify(item)).join(',\n')
    return `"${name}":[\n${lines === '' ? '' : `${lines}\n`}]`
  })
  const text = `{"revision":1,"fromRevision":0,${texts.join(',')}}`
  return `id: 1\nevent: whole\n${text.replaceAll(/^/gm, 'data: ')}\n\n`
}

/** As the gateway sends it. */
function toRecord({ key, defaultVariant, rules, rollouts, ...flag }: FlagRecord) {
  return {
    key,
    ...flag,
    created: 1,
    defaultVariantId: defaultVariant?.id ?? '',
    rules: rules.map((rule) => ({ ...rule, ...toCondition(rule) })),
    rollouts: rollouts.map(({ segment, ...rollout }) => ({
      ...rollout,
      segment: segment && { ...toCondition(segment), value: segment.value },
    })),
  }
}

function toCondition({ segmentKey, segmentOperator }: SegmentsRecord) {
  return { segmentKeys: [segmentKey], segmentOperator }
}
