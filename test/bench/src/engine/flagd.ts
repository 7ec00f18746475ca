import { FlagdCore } from '@openfeature/flagd-core'
import type { ConstraintRecord } from '@svc/evaluation'
import type { Contestant } from './contestant.ts'
import {
  ask,
  attachment,
  booleanFlags,
  defaultVariant,
  type Entity,
  type Flag,
  type Order,
  percentage,
  prepare,
  segments,
  variantFlags,
  weights,
} from './workload.ts'

/** `@openfeature/flagd-core`: targeting rules in JsonLogic, segments as shared evaluators. */
export function startFlagd(order: Order): Contestant {
  const core = new FlagdCore()
  core.setConfigurations(
    JSON.stringify({
      flags: Object.fromEntries([
        ...booleanFlags.map((flag) => [flag.key, toBooleanFlag(flag)]),
        ...variantFlags.map((flag) => [flag.key, toVariantFlag(flag)]),
      ]),
      $evaluators: Object.fromEntries(
        segments.map(({ key, constraints }) => [key, { and: constraints.map(toRule) }]),
      ),
    }),
  )
  const toContext = ({ id, attributes }: Entity) => ({ targetingKey: id, ...attributes })
  const booleans = prepare(ask(order, booleanFlags), toContext)
  const variants = prepare(ask(order, variantFlags), toContext)
  return {
    name: 'flagd-core',
    evaluateBooleans(answers) {
      let i = 0
      for (const { context, flagKeys } of booleans) {
        for (const flagKey of flagKeys) {
          answers[i++] = core.resolveBooleanEvaluation(flagKey, false, context).value
        }
      }
    },
    evaluateVariants(answers) {
      let i = 0
      for (const { context, flagKeys } of variants) {
        for (const flagKey of flagKeys) {
          answers[i++] = core.resolveObjectEvaluation(flagKey, {}, context).variant ?? ''
        }
      }
    },
    close() {},
  }
}

function toBooleanFlag({ segment }: Flag) {
  const shares = [
    ['on', percentage],
    ['off', 100 - percentage],
  ]
  return {
    state: 'ENABLED',
    variants: { on: true, off: false },
    defaultVariant: 'off',
    targeting: { if: [{ $ref: segment.key }, 'on', { fractional: shares }] },
  }
}

function toVariantFlag({ segment }: Flag) {
  return {
    state: 'ENABLED',
    variants: Object.fromEntries(
      [defaultVariant, ...Object.keys(weights)].map((name) => [name, attachment]),
    ),
    defaultVariant,
    targeting: { if: [{ $ref: segment.key }, { fractional: Object.entries(weights) }, null] },
  }
}

function toRule({ property, operator, value }: ConstraintRecord): object {
  const of = { var: property }
  switch (operator) {
    case 'isoneof':
      return { in: [of, JSON.parse(value)] }
    case 'isnotoneof':
      return { '!': { in: [of, JSON.parse(value)] } }
    case 'eq':
      return { '==': [of, value] }
    case 'suffix':
      return { ends_with: [of, value] }
    case 'gte':
      return { '>=': [of, Number(value)] }
    case 'true':
      return { '==': [of, true] }
    default:
      throw new Error(`there is no rule for ${operator}`)
  }
}
