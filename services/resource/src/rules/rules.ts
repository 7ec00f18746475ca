import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import {
  type CreateRuleRequest,
  Rule,
  type RuleServiceDefinition,
  type UpdateRuleRequest,
} from '@svc/proto/resource/v1/rules'
import type { Handlers } from '@svc/rpc'
import { type AppError, notFound } from '@svc/runtime'
import { changeHandler, deletionHandler, getHandler, listHandler } from '../changes/handlers.ts'
import { flagOf } from '../changes/record-of.ts'
import type { UseCase } from '../changes/use-cases.ts'
import { distributions } from '../distributions/distributions.ts'
import {
  deletionUseCase,
  listRanks,
  orderUseCase,
  rankAfter,
  revisionOfFlag,
} from '../flags/ranked.ts'
import { explainViolations, recordNotFound } from '../records/errors.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { type OwnedRows, Table } from '../records/table.ts'
import {
  chosenSegments,
  presentSegments,
  segmentsOf,
  storeSegments,
  toSegmentChoice,
} from '../segments/segment-choice.ts'
import { findMissingSegment } from '../segments/segments.ts'

interface RuleRow extends RowOf<Omit<Rule, 'distributions' | 'segmentKey' | 'segmentKeys'>> {
  readonly distributions: OwnedRows
  readonly segments: string[] | null
}

export const rules = new Table<RuleRow, Rule>({
  kind: 'rule',
  key: ['namespaceKey', 'flagKey', 'id'],
  fields: ['rank', 'segmentOperator'],
  more: [
    distributions.ownedBy(
      'namespace_key = rules.namespace_key AND flag_key = rules.flag_key AND rule_id = rules.id',
    ),
    segmentsOf('rule'),
  ],
  revision: revisionOfFlag('rule'),
  toMessage: ({ segments, ...row }) => ({
    ...withInstants(row),
    distributions: distributions.fromOwner({ ruleId: row.id }, row.distributions),
    ...presentSegments(segments ?? []),
  }),
  list: {
    // Rules of one rank are tried in the order of their creation.
    order: ['rank', 'position'],
    // Nothing in it is long, and what a flag has in it is bounded.
    bytes: '0',
    isNamespaceList: false,
    messageType: Rule,
  },
})

const createRule: UseCase<CreateRuleRequest, Rule> = async (tx, change, request) => {
  const missing = await findMissingSegment(tx, request.namespaceKey, chosenSegments(request))
  if (missing !== undefined) throw parentsNotFound(request, missing)
  const rank = request.rank || rankAfter(await listRanks(tx, 'rule', request))
  const { id } = await explainViolations(rules.insert(tx, { ...request, rank }), {
    flag_exists: () => parentsNotFound(request, chosenSegments(request)[0]),
  })
  await storeSegments(tx, 'rule', { ...request, id }, request)
  change.changed(flagOf(request))
  return rules.get(tx, { ...request, id })
}

const updateRule: UseCase<UpdateRuleRequest, Rule> = async (tx, change, request) => {
  const notFound = () => recordNotFound('rule', request.namespaceKey, request.id)
  if ((await rules.update(tx, request)) === undefined) throw notFound()
  await explainViolations(storeSegments(tx, 'rule', request, request), {
    segment_exists: notFound,
  })
  change.changed(flagOf(request))
  return rules.get(tx, request)
}

/** @param segmentKey the one that is missing, unless it is the flag */
function parentsNotFound(
  { namespaceKey, flagKey }: CreateRuleRequest,
  segmentKey: string | undefined,
): AppError {
  const [flag, segment] = [`${namespaceKey}/${flagKey}`, `${namespaceKey}/${segmentKey}`]
  return notFound('rule_parents', `flag "${flag}" or segment "${segment}" not found`)
}

export function ruleHandlers(db: Database) {
  const order = orderUseCase('rule', 'ruleIds')
  return {
    listRules: listHandler(db, fieldRules.ListRulesRequest, rules, (rules) => ({ rules })),
    getRule: getHandler(db, fieldRules.GetRuleRequest, rules),
    createRule: changeHandler(
      db,
      fieldRules.CreateRuleRequest,
      flagOf,
      createRule,
      toSegmentChoice,
    ),
    updateRule: changeHandler(
      db,
      fieldRules.UpdateRuleRequest,
      flagOf,
      updateRule,
      toSegmentChoice,
    ),
    orderRules: changeHandler(db, fieldRules.OrderRulesRequest, flagOf, order),
    deleteRule: deletionHandler(db, fieldRules.DeleteRuleRequest, flagOf, deletionUseCase('rule')),
  } satisfies Handlers<RuleServiceDefinition, Caller>
}
