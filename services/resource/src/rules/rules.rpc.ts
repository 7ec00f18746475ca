import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../lists/paging.ts'
import { createRule, deleteRule, orderRules, updateRule } from './rules.changes.ts'
import { getRule, listRules, ruleOrder } from './rules.store.ts'
import { checkRuleCreation, checkRuleUpdate } from './rules.ts'

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

    async createRule(request, context) {
      const rule = checkRuleCreation(request)
      return commitChange(db, rule.namespaceKey, context, (tx, change) =>
        createRule(tx, change, rule),
      )
    },

    async updateRule(request, context) {
      const update = checkRuleUpdate(request)
      return commitChange(db, update.namespaceKey, context, (tx, change) =>
        updateRule(tx, change, update),
      )
    },

    async orderRules(request, context) {
      const order = checkRequest(fieldRules.OrderRulesRequest, request)
      return commitChange(db, order.namespaceKey, context, (tx, change) =>
        orderRules(tx, change, order),
      )
    },

    async deleteRule(request, context) {
      const target = checkRequest(fieldRules.DeleteRuleRequest, request)
      return commitDeletion(db, target.namespaceKey, context, (tx, change) =>
        deleteRule(tx, change, target),
      )
    },
  } satisfies Handlers<RuleServiceDefinition, Caller>
}
