import type { Caller } from '@svc/access'
import type { Database, Queryable } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import {
  type CreateRolloutRequest,
  Rollout,
  type RolloutServiceDefinition,
  type UpdateRolloutRequest,
} from '@svc/proto/resource/v1/rollouts'
import type { Handlers } from '@svc/rpc'
import { alreadyExists, invalidArgument, notFound } from '@svc/runtime'
import { changeHandler, deletionHandler, getHandler, listHandler } from '../changes/handlers.ts'
import { flagOf } from '../changes/record-of.ts'
import type { UseCase } from '../changes/use-cases.ts'
import { requireFlag } from '../flags/flags.ts'
import {
  deletionUseCase,
  listRanks,
  orderUseCase,
  rankAfter,
  revisionOfFlag,
} from '../flags/ranked.ts'
import { explainViolations, recordNotFound } from '../records/errors.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { Table } from '../records/table.ts'
import {
  chosenSegments,
  presentSegments,
  type SegmentChoice,
  segmentsOf,
  storeSegments,
} from '../segments/segment-choice.ts'
import { findMissingSegment } from '../segments/segments.ts'
import { checkServed, checkUpdate, typeOf } from './checks.ts'

/** With all that either type has. */
interface RolloutRow extends RowOf<Omit<Rollout, 'segment' | 'threshold'>> {
  readonly value: boolean
  readonly percentage: number | null
  readonly segmentOperator: SegmentChoice['segmentOperator'] | null
  readonly segments: string[] | null
}

export const rollouts = new Table<RolloutRow, Rollout>({
  kind: 'rollout',
  key: ['namespaceKey', 'flagKey', 'id'],
  fields: ['type', 'rank', 'description', 'value', 'percentage', 'segmentOperator'],
  more: [segmentsOf('rollout')],
  revision: revisionOfFlag('rollout'),
  toMessage({ value, percentage, segmentOperator, segments, ...row }) {
    const rollout = withInstants(row)
    if (percentage !== null) return { ...rollout, threshold: { percentage, value } }
    const choice = {
      ...presentSegments(segments ?? []),
      segmentOperator: segmentOperator ?? 'OR_SEGMENT_OPERATOR',
    }
    return { ...rollout, segment: { ...choice, value } }
  },
  list: {
    order: ['rank', 'position'],
    bytes: 'octet_length(description)',
    isNamespaceList: false,
    messageType: Rollout,
  },
})

type Write = CreateRolloutRequest | UpdateRolloutRequest

const toValues = ({ segment, threshold, ...rollout }: Write) => ({
  ...rollout,
  type: typeOf({ segment, threshold }),
  description: rollout.description ?? '',
  value: (segment ?? threshold)?.value ?? false,
  percentage: threshold?.percentage ?? null,
  segmentOperator: segment?.segmentOperator ?? null,
})

const createRollout: UseCase<CreateRolloutRequest, Rollout> = async (tx, change, request) => {
  const { namespaceKey, flagKey, segment } = request
  const others = await listRanks(tx, 'rollout', request)
  const rank = request.rank || rankAfter(others)
  if (others.some((other) => other.rank === rank)) {
    throw alreadyExists('rank', `rank number: ${rank} already exists`)
  }
  if (typeOf(request) === 'UNKNOWN_ROLLOUT_TYPE') throw invalidArgument('rollout rule is missing')
  await checkSegments(tx, request)
  const { id } = await explainViolations(rollouts.insert(tx, toValues({ ...request, rank })), {
    flag_exists: () =>
      segment === undefined
        ? recordNotFound('flag', namespaceKey, flagKey)
        : parentsNotFound(request),
  })
  if (segment !== undefined) await storeSegments(tx, 'rollout', { ...request, id }, segment)
  change.changed(flagOf(request))
  return rollouts.get(tx, { ...request, id })
}

const updateRollout: UseCase<UpdateRolloutRequest, Rollout> = async (tx, change, request) => {
  if (request.id === '') return setThreshold(tx, change, request)
  const [{ type }, attempted] = [await rollouts.get(tx, request), typeOf(request)]
  if (type !== attempted) {
    const types = `have "${type}" attempted "${attempted}"`
    throw invalidArgument(`cannot change type of rollout: ${types}`)
  }
  await checkSegments(tx, request)
  await rollouts.update(tx, toValues(request))
  if (request.segment !== undefined) await storeSegments(tx, 'rollout', request, request.segment)
  change.changed(flagOf(request))
  return rollouts.get(tx, request)
}

/**
 * Sets the threshold of a flag: of its only threshold rollout, or of a new one after all others.
 * A description that is left out stays.
 */
const setThreshold: UseCase<UpdateRolloutRequest, Rollout> = async (tx, change, request) => {
  const { namespaceKey, flagKey } = request
  await requireFlag(tx, namespaceKey, flagKey)
  const all = await rollouts.readAll(tx, namespaceKey, [flagKey])
  const [only, ...others] = all.filter(({ threshold }) => threshold !== undefined)
  if (others.length > 0) {
    const flag = `flag "${namespaceKey}/${flagKey}"`
    throw invalidArgument(`${flag} has more than one threshold rollout; id is required`)
  }
  const { description = only?.description ?? '', threshold } = request
  const rollout = { namespaceKey, flagKey, description, threshold }
  if (only === undefined) return createRollout(tx, change, { ...rollout, rank: 0 })
  return updateRollout(tx, change, { ...rollout, id: only.id })
}

async function checkSegments(tx: Queryable, rollout: Write): Promise<void> {
  if (rollout.segment === undefined) return
  const keys = chosenSegments(rollout.segment)
  const missing = await findMissingSegment(tx, rollout.namespaceKey, keys)
  if (missing !== undefined) throw parentsNotFound(rollout)
}

/** Both or either of them; the quotes stand where existing clients look for them. */
function parentsNotFound({ namespaceKey, flagKey, segment }: Write) {
  const subject = `${namespaceKey}/${flagKey} or segment ${segment?.segmentKey ?? ''}`
  return notFound('rollout_parents', `flag "${subject}" not found`)
}

export function rolloutHandlers(db: Database) {
  const order = orderUseCase('rollout', 'rolloutIds')
  return {
    listRollouts: listHandler(db, fieldRules.ListRolloutsRequest, rollouts, (rules) => ({ rules })),
    getRollout: getHandler(db, fieldRules.GetRolloutRequest, rollouts),
    createRollout: changeHandler(
      db,
      fieldRules.CreateRolloutRequest,
      flagOf,
      createRollout,
      checkServed,
    ),
    updateRollout: changeHandler(
      db,
      fieldRules.UpdateRolloutRequest,
      flagOf,
      updateRollout,
      checkUpdate,
    ),
    orderRollouts: changeHandler(db, fieldRules.OrderRolloutsRequest, flagOf, order),
    deleteRollout: deletionHandler(
      db,
      fieldRules.DeleteRolloutRequest,
      flagOf,
      deletionUseCase('rollout'),
    ),
  } satisfies Handlers<RolloutServiceDefinition, Caller>
}
