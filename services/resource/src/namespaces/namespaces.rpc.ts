import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitCreation } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../paging.ts'
import { explainViolations } from '../violations.ts'
import {
  deleteNamespace,
  getNamespace,
  insertNamespace,
  listNamespaces,
  namespaceOrder,
  readObstacles,
  updateNamespace,
} from './namespaces.store.ts'
import { namespaceHoldsFlags, namespaceIsProtected, namespaceNotUnique } from './namespaces.ts'

export function namespaceHandlers(db: Database) {
  return {
    async listNamespaces(request) {
      const page = toPage(checkRequest(fieldRules.ListNamespacesRequest, request), namespaceOrder)
      const { items: namespaces, ...rest } = await listNamespaces(db, page)
      return { namespaces, ...rest }
    },

    async getNamespace(request) {
      checkRequest(fieldRules.GetNamespaceRequest, request)
      return getNamespace(db, request.key)
    },

    async createNamespace(request, caller?) {
      checkRequest(fieldRules.CreateNamespaceRequest, request)
      const { key } = request
      return commitCreation(db, key, caller, async (tx, change) => {
        change.changed('namespace', key)
        return explainViolations(insertNamespace(tx, request), {
          namespace_is_unique: () => namespaceNotUnique(key),
        })
      })
    },

    async updateNamespace(request, caller?) {
      checkRequest(fieldRules.UpdateNamespaceRequest, request)
      return commitChange(db, request.key, caller, async (tx, change) => {
        change.changed('namespace', request.key)
        return updateNamespace(tx, request)
      })
    },

    async deleteNamespace(request, caller?) {
      checkRequest(fieldRules.DeleteNamespaceRequest, request)
      const { key, force } = request
      return commitChange(db, key, caller, async (tx, change) => {
        const { isProtected, hasFlags } = await readObstacles(tx, key)
        if (isProtected) throw namespaceIsProtected(key)
        if (hasFlags && !force) throw namespaceHoldsFlags(key)
        await deleteNamespace(tx, key)
        change.deleted('namespace', key, 0)
        return {}
      })
    },
  } satisfies Handlers<NamespaceServiceDefinition>
}
