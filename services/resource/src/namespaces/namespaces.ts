import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  DeleteNamespaceRequest,
  NamespaceServiceDefinition,
} from '@svc/proto/resource/v1/namespaces'
import type { Handlers } from '@svc/rpc'
import { invalidArgument } from '@svc/runtime'
import { commit } from '../changes/commit.ts'
import { changeHandler, getHandler, listHandler } from '../changes/handlers.ts'
import { type UseCase, useCasesOf } from '../changes/use-cases.ts'
import { recordNotFound, recordNotUnique } from '../records/errors.ts'
import { checkRequest } from '../records/requests.ts'
import { deleteNamespaceRow, namespaces, readObstacles } from './namespaces.store.ts'

const { create, update } = useCasesOf<NamespaceServiceDefinition>(namespaces, {
  recordOf: ({ key }) => ['namespace', key],
  violations: ({ key }) => ({ namespace_is_unique: () => recordNotUnique('namespace', key) }),
  notFound: ({ key }) => recordNotFound('namespace', key),
})

const remove: UseCase<DeleteNamespaceRequest, Record<string, never>> = async (
  tx,
  change,
  { key, force },
) => {
  const { isProtected, hasFlags } = await readObstacles(tx, key)
  const subject = `namespace "${key}"`
  if (isProtected) throw invalidArgument(`${subject} is protected`)
  if (hasFlags && !force) {
    throw invalidArgument(`${subject} cannot be deleted; flags must be deleted first`)
  }
  await deleteNamespaceRow(tx, key)
  change.deleted('namespace', key, 0)
  return {}
}

export function namespaceHandlers(db: Database) {
  const rules = fieldRules
  return {
    listNamespaces: listHandler(db, rules.ListNamespacesRequest, namespaces, (namespaces) => ({
      namespaces,
    })),
    getNamespace: getHandler(db, rules.GetNamespaceRequest, namespaces),
    async createNamespace(request, context) {
      checkRequest(rules.CreateNamespaceRequest, request)
      return commit(db, request.key, context, (tx, change) => create(tx, change, request))
    },
    updateNamespace: changeHandler(db, rules.UpdateNamespaceRequest, update),
    deleteNamespace: changeHandler(db, rules.DeleteNamespaceRequest, remove),
  } satisfies Handlers<NamespaceServiceDefinition, Caller>
}
