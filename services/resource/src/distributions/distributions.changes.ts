import type { Queryable } from '@svc/database'
import type {
  CreateDistributionRequest,
  DeleteDistributionRequest,
  Distribution,
  UpdateDistributionRequest,
} from '@svc/proto/resource/v1/distributions'
import type { ChangeRecorder } from '../changes/recorder.ts'
import {
  deleteDistributionRow,
  hasParents,
  insertDistributionRow,
  updateDistributionRow,
} from './distributions.store.ts'
import { distributionNotFound, distributionParentsNotFound } from './distributions.ts'

export async function createDistribution(
  tx: Queryable,
  change: ChangeRecorder,
  request: CreateDistributionRequest,
): Promise<Distribution> {
  if (!(await hasParents(tx, request))) throw distributionParentsNotFound(request)
  change.changed('flag', request.flagKey)
  return insertDistributionRow(tx, request)
}

export async function updateDistribution(
  tx: Queryable,
  change: ChangeRecorder,
  request: UpdateDistributionRequest,
): Promise<Distribution> {
  if (!(await hasParents(tx, request))) throw distributionParentsNotFound(request)
  const distribution = await updateDistributionRow(tx, request)
  if (distribution === undefined) throw distributionNotFound(request.id)
  change.changed('flag', request.flagKey)
  return distribution
}

export async function deleteDistribution(
  tx: Queryable,
  change: ChangeRecorder,
  request: DeleteDistributionRequest,
): Promise<void> {
  if (await deleteDistributionRow(tx, request)) change.changed('flag', request.flagKey)
}
