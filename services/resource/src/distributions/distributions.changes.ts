import type {
  CreateDistributionRequest,
  DeleteDistributionRequest,
  Distribution,
  UpdateDistributionRequest,
} from '@svc/proto/resource/v1/distributions'
import type { UseCase } from '../changes/recorder.ts'
import {
  deleteDistributionRow,
  hasParents,
  insertDistributionRow,
  updateDistributionRow,
} from './distributions.store.ts'
import { distributionNotFound, distributionParentsNotFound } from './distributions.ts'

export const createDistribution: UseCase<CreateDistributionRequest, Distribution> = async (
  tx,
  change,
  request,
) => {
  if (!(await hasParents(tx, request))) throw distributionParentsNotFound(request)
  change.changed('flag', request.flagKey)
  return insertDistributionRow(tx, request)
}

export const updateDistribution: UseCase<UpdateDistributionRequest, Distribution> = async (
  tx,
  change,
  request,
) => {
  if (!(await hasParents(tx, request))) throw distributionParentsNotFound(request)
  const distribution = await updateDistributionRow(tx, request)
  if (distribution === undefined) throw distributionNotFound(request.id)
  change.changed('flag', request.flagKey)
  return distribution
}

export const deleteDistribution: UseCase<DeleteDistributionRequest, void> = async (
  tx,
  change,
  request,
) => {
  if (await deleteDistributionRow(tx, request)) change.changed('flag', request.flagKey)
}
