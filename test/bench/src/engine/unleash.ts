import { once } from 'node:events'
import type { ConstraintRecord } from '@svc/evaluation'
import { type ClientFeaturesResponse, InMemStorageProvider, Unleash } from 'unleash-client'
import type { Contestant } from './contestant.ts'
import {
  ask,
  attachment,
  booleanFlags,
  type Entity,
  type Flag,
  type Order,
  percentage,
  prepare,
  type Segment,
  segments,
  variantFlags,
  weights,
} from './workload.ts'

/** `unleash-client`: strategies with segments, from a bootstrap; without metrics and without refresh. */
export async function startUnleash(order: Order): Promise<Contestant> {
  const unleash = new Unleash({
    appName: 'bench',
    url: 'http://127.0.0.1:9/',
    disableAutoStart: true,
    disableMetrics: true,
    refreshInterval: 0,
    skipInstanceCountWarning: true,
    storageProvider: new InMemStorageProvider(),
    bootstrap: makeBootstrap(),
  })
  // Without a listener, an error would end the process.
  unleash.on('error', (error: Error) => console.error(`unleash-client: ${error.message}`))
  const ready = once(unleash, 'ready')
  await unleash.start()
  await ready
  const toContext = ({ id, attributes: { tester, ...others } }: Entity) => ({
    userId: id,
    properties: { ...others, tester: String(tester) },
  })
  const booleans = prepare(ask(order, booleanFlags), toContext)
  const variants = prepare(ask(order, variantFlags), toContext)
  return {
    name: 'unleash-client',
    evaluateBooleans(answers) {
      let i = 0
      for (const { context, flagKeys } of booleans) {
        for (const flagKey of flagKeys) answers[i++] = unleash.isEnabled(flagKey, context)
      }
    },
    evaluateVariants(answers) {
      let i = 0
      for (const { context, flagKeys } of variants) {
        for (const flagKey of flagKeys) answers[i++] = unleash.getVariant(flagKey, context).name
      }
    },
    close: () => unleash.destroy(),
  }
}

/** What a server would send, so made as JSON: the enumerations of the types are not exported. */
function makeBootstrap() {
  const response: ClientFeaturesResponse = JSON.parse(
    JSON.stringify({
      features: [...booleanFlags.map(toBooleanFlag), ...variantFlags.map(toVariantFlag)],
      segments: segments.map((segment) => ({
        id: idOf(segment),
        constraints: segment.constraints.map(toConstraint),
      })),
    }),
  )
  return { data: response.features, segments: response.segments ?? [] }
}

function toBooleanFlag({ key, segment }: Flag) {
  const rollout = { rollout: String(percentage), stickiness: 'userId', groupId: key }
  return {
    name: key,
    enabled: true,
    strategies: [
      inSegment({ key, segment }),
      { name: 'flexibleRollout', parameters: rollout, constraints: [] },
    ],
  }
}

function toVariantFlag({ key, segment }: Flag) {
  const variants = Object.entries(weights).map(([name, weight]) => ({
    name,
    // In tenths of a percent.
    weight: weight * 10,
    stickiness: 'userId',
    payload: { type: 'json', value: JSON.stringify(attachment) },
  }))
  return { name: key, enabled: true, strategies: [{ ...inSegment({ key, segment }), variants }] }
}

/** The cheapest strategy for all entities of a segment: it need not hash. */
function inSegment({ key, segment }: Flag) {
  return {
    name: 'default',
    parameters: { groupId: key },
    constraints: [],
    segments: [idOf(segment)],
  }
}

function idOf(segment: Segment): number {
  return segments.indexOf(segment) + 1
}

function toConstraint({ property, operator, value }: ConstraintRecord) {
  const common = { contextName: property, inverted: false }
  switch (operator) {
    case 'isoneof':
      return { ...common, operator: 'IN', values: JSON.parse(value) }
    case 'isnotoneof':
      return { ...common, operator: 'NOT_IN', values: JSON.parse(value) }
    case 'eq':
      return { ...common, operator: 'IN', values: [value] }
    case 'suffix':
      return { ...common, operator: 'STR_ENDS_WITH', values: [value] }
    case 'gte':
      return { ...common, operator: 'NUM_GTE', values: [], value }
    case 'true':
      return { ...common, operator: 'IN', values: ['true'] }
    default:
      throw new Error(`there is no constraint for ${operator}`)
  }
}
