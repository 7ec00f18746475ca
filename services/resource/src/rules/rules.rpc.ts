import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { hasFlag } from '../flags/flags.store.ts'
import { flagNotFound } from '../flags/flags.ts'
import { deleteRanked, putInOrder } from '../ordering.store.ts'
import { rankAfter } from '../ordering.ts'
import { toPage } from '../paging.ts'
import { chosenSegments } from '../segments/segment-choice.ts'
import { findMissingSegment } from '../segments/segments.store.ts'
import { explainViolations } from '../violations.ts'
import {
  getRule,
  highestRank,
  insertRule,
  listRules,
  ruleOrder,
  updateRule,
} from './rules.store.ts'
import { checkRuleCreation, checkRuleUpdate, ruleNotFound, ruleParentsNotFound } from './rules.ts'

export function ruleHandlers(db: Database) {
  return {
    async listRules(request) {
      const { namespaceKey, flagKey } = checkRequest(fieldRules.ListRulesRequest, request)
      const page = toPage(request, ruleOrder)
      const { items: rules, ...rest } = await listRules(db, namespaceKey, flagKey, page)
      return { rules, ...rest }
    },

    async getRule(request) {
      const { namespaceKey, flagKey, id } = checkRequest(fieldRules.GetRuleRequest, request)
      return getRule(db, namespaceKey, flagKey, id)
    },

    async createRule(request, caller?) {
      const wanted = checkRuleCreation(request)
      const { namespaceKey, flagKey } = wanted
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        const missing = await findMissingSegment(tx, namespaceKey, chosenSegments(wanted))
        if (missing !== undefined) throw ruleParentsNotFound(wanted, missing)
        const rank = wanted.rank || rankAfter(await highestRank(tx, namespaceKey, flagKey))
        const id = await explainViolations(insertRule(tx, { ...wanted, rank }), {
          flag_exists: () => ruleParentsNotFound(wanted),
        })
        change.grown('flag', flagKey)
        return getRule(tx, namespaceKey, flagKey, id)
      })
    },

    async updateRule(request, caller?) {
      const update = checkRuleUpdate(request)
      const { namespaceKey, flagKey, id } = update
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        await explainViolations(updateRule(tx, update), {
          segment_exists: () => ruleNotFound(namespaceKey, id),
        })
        change.grown('flag', flagKey)
        return getRule(tx, namespaceKey, flagKey, id)
      })
    },

    async orderRules(request, caller?) {
      const { namespaceKey, flagKey, ruleIds } = checkRequest(fieldRules.OrderRulesRequest, request)
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        if (!(await hasFlag(tx, namespaceKey, flagKey))) throw flagNotFound(namespaceKey, flagKey)
        await putInOrder(tx, 'rules', { namespaceKey, flagKey }, 'ruleIds', ruleIds)
        change.changed('flag', flagKey)
        return {}
      })
    },

    async deleteRule(request, caller?) {
      const target = checkRequest(fieldRules.DeleteRuleRequest, request)
      return commitDeletion(db, target.namespaceKey, caller, async (tx, change) => {
        if (await deleteRanked(tx, 'rules', target)) change.changed('flag', target.flagKey)
      })
    },
  } satisfies Handlers<RuleServiceDefinition>
}
