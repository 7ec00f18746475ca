import {
  evaluateBoolean,
  evaluateVariant,
  type FlagRecord,
  FlagSet,
  toEntity,
} from '@svc/evaluation'
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
  segments,
  type ToContext,
  toTexts,
  variantFlags,
  weights,
} from './workload.ts'

/** The engine, as the gateway uses it. */
export function startOurs(order: Order, toContext: ToContext = toTexts): Contestant {
  const flags = new FlagSet()
  flags.apply({
    flags: flagRecords(),
    segments,
    deletedFlagKeys: [],
    deletedSegmentKeys: [],
  })
  const booleans = prepare(ask(order, booleanFlags), toContext)
  const variants = prepare(ask(order, variantFlags), toContext)
  return {
    name: 'ours',
    evaluateBooleans(answers) {
      let i = 0
      for (const { entityId, context, flagKeys } of booleans) {
        const entity = toEntity(entityId, context)
        for (const flagKey of flagKeys) {
          const flag = flags.get(flagKey)
          if (flag?.type !== 'BOOLEAN_FLAG_TYPE') throw new Error(`${flagKey} is no boolean flag`)
          answers[i++] = evaluateBoolean(flag, entity).enabled
        }
      }
    },
    evaluateVariants(answers) {
      let i = 0
      for (const { entityId, context, flagKeys } of variants) {
        const entity = toEntity(entityId, context)
        for (const flagKey of flagKeys) {
          const flag = flags.get(flagKey)
          if (flag?.type !== 'VARIANT_FLAG_TYPE') throw new Error(`${flagKey} is no variant flag`)
          answers[i++] = evaluateVariant(flag, entity).variantKey
        }
      }
    },
    close() {},
  }
}

export function flagRecords(): FlagRecord[] {
  return [...booleanFlags.map(toBooleanFlag), ...variantFlags.map(toVariantFlag)]
}

function toBooleanFlag({ key, segment }: Flag) {
  return {
    ...emptyFlag,
    key,
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
    rollouts: [
      { rank: 1, segment: { ...inOne(segment.key), value: true } },
      { rank: 2, threshold: { percentage, value: true } },
    ],
  }
}

function toVariantFlag({ key, segment }: Flag) {
  return {
    ...emptyFlag,
    key,
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: [defaultVariant, ...Object.keys(weights)].map((name) => ({
      id: name,
      key: name,
      attachment: JSON.stringify(attachment),
    })),
    defaultVariant: { id: defaultVariant },
    rules: [
      {
        rank: 1,
        ...inOne(segment.key),
        distributions: Object.entries(weights).map(([name, rollout]) => ({
          variantId: name,
          rollout,
        })),
      },
    ],
  }
}

const emptyFlag = { variants: [], rules: [], rollouts: [] }

function inOne(segmentKey: string) {
  return { segmentKey, segmentKeys: [], segmentOperator: 'OR_SEGMENT_OPERATOR' }
}
