import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitCreation } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../lists/paging.ts'
import { createNamespace, deleteNamespace, updateNamespace } from './namespaces.changes.ts'
import { getNamespace, listNamespaces, namespaceOrder } from './namespaces.store.ts'

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

    async createNamespace(request, context) {
      checkRequest(fieldRules.CreateNamespaceRequest, request)
      return commitCreation(db, request.key, context, (tx, change) =>
        createNamespace(tx, change, request),
      )
    },

    async updateNamespace(request, context) {
      checkRequest(fieldRules.UpdateNamespaceRequest, request)
      return commitChange(db, request.key, context, (tx, change) =>
        updateNamespace(tx, change, request),
      )
    },

    async deleteNamespace(request, context) {
      checkRequest(fieldRules.DeleteNamespaceRequest, request)
      return commitChange(db, request.key, context, (tx, change) =>
        deleteNamespace(tx, change, request),
      )
    },
  } satisfies Handlers<NamespaceServiceDefinition, Caller>
}
