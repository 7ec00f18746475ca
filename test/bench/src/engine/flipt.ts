import { FliptClient } from '@flipt-io/flipt-client-js'
import type { Contestant } from './contestant.ts'
import {
  ask,
  attachment,
  booleanFlags,
  defaultVariant,
  type Flag,
  type Order,
  percentage,
  prepare,
  type Segment,
  toTexts,
  variantFlags,
  weights,
} from './workload.ts'

/** `@flipt-io/flipt-client-js`: a snapshot of the namespace, from its own fetcher. */
export async function startFlipt(order: Order): Promise<Contestant> {
  const snapshot = {
    namespace: { key: 'default' },
    flags: [...booleanFlags.map(toBooleanFlag), ...variantFlags.map(toVariantFlag)],
  }
  const client = await FliptClient.init({
    namespace: 'default',
    fetcher: async () => Response.json(snapshot),
  })
  const booleans = prepare(ask(order, booleanFlags), toTexts)
  const variants = prepare(ask(order, variantFlags), toTexts)
  return {
    name: 'flipt-client-js',
    evaluateBooleans(answers) {
      let i = 0
      for (const { entityId, context, flagKeys } of booleans) {
        for (const flagKey of flagKeys) {
          answers[i++] = client.evaluateBoolean({ flagKey, entityId, context }).enabled
        }
      }
    },
    evaluateVariants(answers) {
      let i = 0
      for (const { entityId, context, flagKeys } of variants) {
        for (const flagKey of flagKeys) {
          answers[i++] = client.evaluateVariant({ flagKey, entityId, context }).variantKey
        }
      }
    },
    close: () => client.close(),
  }
}

function toBooleanFlag({ key, segment }: Flag) {
  return {
    ...describe(key),
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
    rules: [],
    rollouts: [
      {
        type: 'SEGMENT_ROLLOUT_TYPE',
        rank: 1,
        segment: { value: true, ...inOne(segment) },
      },
      { type: 'THRESHOLD_ROLLOUT_TYPE', rank: 2, threshold: { percentage, value: true } },
    ],
  }
}

function toVariantFlag({ key, segment }: Flag) {
  const variantAttachment = JSON.stringify(attachment)
  return {
    ...describe(key),
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    rules: [
      {
        id: key,
        rank: 1,
        ...inOne(segment),
        distributions: Object.entries(weights).map(([variantKey, rollout]) => ({
          id: '',
          ruleId: '',
          variantId: variantKey,
          variantKey,
          variantAttachment,
          rollout,
        })),
      },
    ],
    rollouts: [],
    defaultVariant: { id: defaultVariant, key: defaultVariant, attachment: variantAttachment },
  }
}

function describe(key: string) {
  return { key, name: key, description: '' }
}

function inOne({ key, constraints }: Segment) {
  return {
    segmentOperator: 'OR_SEGMENT_OPERATOR',
    segments: [
      {
        key,
        name: '',
        description: '',
        matchType: 'ALL_SEGMENT_MATCH_TYPE',
        constraints: constraints.map(({ type, ...constraint }) => ({
          id: '',
          type: type.replace('COMPARISON', 'CONSTRAINT_COMPARISON'),
          ...constraint,
        })),
      },
    ],
  }
}
