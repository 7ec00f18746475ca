import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  DeleteNamespaceRequest,
  NamespaceServiceDefinition,
} from '@svc/proto/resource/v1/namespaces'
import type { Handlers } from '@svc/rpc'
import { invalidArgument } from '@svc/runtime'
import { commitCreation } from '../changes/commit.ts'
import { logContentDeleted } from '../changes/content.ts'
import { changeHandler, getHandler, listHandler } from '../changes/handlers.ts'
import { byKey } from '../changes/record-of.ts'
import { type UseCase, useCasesOf } from '../changes/use-cases.ts'
import { recordNotFound, recordNotUnique } from '../records/errors.ts'
import { checkRequest } from '../records/requests.ts'
import { countContent, deleteNamespaceRow, namespaces, readObstacles } from './namespaces.store.ts'

const recordOf = byKey('namespace')

const { create: createNamespace, update } = useCasesOf<NamespaceServiceDefinition>(namespaces, {
  recordOf,
  violations: ({ key }) => ({ namespace_is_unique: () => recordNotUnique('namespace', key) }),
  notFound: ({ key }) => recordNotFound('namespace', key),
})

export { createNamespace }

export const deleteNamespace: UseCase<DeleteNamespaceRequest, Record<string, never>> = async (
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
  if ((await countContent(tx, key)) > maxContent) {
    const limit = `${maxContent.toLocaleString('en')} flags and segments`
    throw invalidArgument(`${subject} holds more than ${limit}: delete some of them first`)
  }
  await logContentDeleted(tx, change)
  await deleteNamespaceRow(tx, key)
  change.deleted({ kind: 'namespace', key }, 0)
  return {}
}

/** Maximum flags and segments that are deleted with their namespace: each is logged, in one change. */
const maxContent = 20_000

export function namespaceHandlers(db: Database) {
  const rules = fieldRules
  return {
    listNamespaces: listHandler(db, rules.ListNamespacesRequest, namespaces, (namespaces) => ({
      namespaces,
    })),
    getNamespace: getHandler(db, rules.GetNamespaceRequest, namespaces),
    async createNamespace(request, context) {
      checkRequest(rules.CreateNamespaceRequest, request)
      return commitCreation(db, request.key, context, (tx, change) =>
        createNamespace(tx, change, request),
      )
    },
    updateNamespace: changeHandler(db, rules.UpdateNamespaceRequest, recordOf, update),
    deleteNamespace: changeHandler(db, rules.DeleteNamespaceRequest, recordOf, deleteNamespace),
  } satisfies Handlers<NamespaceServiceDefinition, Caller>
}
