import type { Queryable } from '@svc/database'
import type {
  CreateNamespaceRequest,
  DeleteNamespaceRequest,
  Namespace,
  UpdateNamespaceRequest,
} from '@svc/proto/resource/v1/namespaces'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { explainViolations } from '../violations.ts'
import {
  deleteNamespaceRow,
  insertNamespaceRow,
  readObstacles,
  updateNamespaceRow,
} from './namespaces.store.ts'
import { namespaceHoldsFlags, namespaceIsProtected, namespaceNotUnique } from './namespaces.ts'

export async function createNamespace(
  tx: Queryable,
  change: ChangeRecorder,
  request: CreateNamespaceRequest,
): Promise<Namespace> {
  change.changed('namespace', request.key)
  return explainViolations(insertNamespaceRow(tx, request), {
    namespace_is_unique: () => namespaceNotUnique(request.key),
  })
}

export async function updateNamespace(
  tx: Queryable,
  change: ChangeRecorder,
  request: UpdateNamespaceRequest,
): Promise<Namespace> {
  change.changed('namespace', request.key)
  return updateNamespaceRow(tx, request)
}

export async function deleteNamespace(
  tx: Queryable,
  change: ChangeRecorder,
  { key, force }: DeleteNamespaceRequest,
): Promise<Record<string, never>> {
  const { isProtected, hasFlags } = await readObstacles(tx, key)
  if (isProtected) throw namespaceIsProtected(key)
  if (hasFlags && !force) throw namespaceHoldsFlags(key)
  await deleteNamespaceRow(tx, key)
  change.deleted('namespace', key, 0)
  return {}
}
