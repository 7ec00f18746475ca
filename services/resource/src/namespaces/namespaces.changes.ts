import type {
  CreateNamespaceRequest,
  DeleteNamespaceRequest,
  Namespace,
  UpdateNamespaceRequest,
} from '@svc/proto/resource/v1/namespaces'
import type { UseCase } from '../changes/recorder.ts'
import { explainViolations } from '../violations.ts'
import {
  deleteNamespaceRow,
  insertNamespaceRow,
  readObstacles,
  updateNamespaceRow,
} from './namespaces.store.ts'
import { namespaceHoldsFlags, namespaceIsProtected, namespaceNotUnique } from './namespaces.ts'

export const createNamespace: UseCase<CreateNamespaceRequest, Namespace> = async (
  tx,
  change,
  request,
) => {
  change.changed('namespace', request.key)
  return explainViolations(insertNamespaceRow(tx, request), {
    namespace_is_unique: () => namespaceNotUnique(request.key),
  })
}

export const updateNamespace: UseCase<UpdateNamespaceRequest, Namespace> = async (
  tx,
  change,
  request,
) => {
  change.changed('namespace', request.key)
  return updateNamespaceRow(tx, request)
}

export const deleteNamespace: UseCase<DeleteNamespaceRequest, Record<string, never>> = async (
  tx,
  change,
  { key, force },
) => {
  const { isProtected, hasFlags } = await readObstacles(tx, key)
  if (isProtected) throw namespaceIsProtected(key)
  if (hasFlags && !force) throw namespaceHoldsFlags(key)
  await deleteNamespaceRow(tx, key)
  change.deleted('namespace', key, 0)
  return {}
}
