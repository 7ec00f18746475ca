import type {
  CreateDistributionRequest,
  DeleteDistributionRequest,
  UpdateDistributionRequest,
} from '@svc/proto/resource/v1/distributions'
import { type AppError, invalidField, notFound } from '@svc/runtime'
import { checkKey, checkPresent, inNamespace } from '../fields.ts'

export function checkDistributionCreation(
  request: CreateDistributionRequest,
): CreateDistributionRequest {
  const distribution = inNamespace(request)
  checkParents(distribution)
  checkRollout(distribution.rollout)
  return distribution
}

export function checkDistributionUpdate(
  request: UpdateDistributionRequest,
): UpdateDistributionRequest {
  const distribution = checkDistributionName(request)
  checkRollout(distribution.rollout)
  return distribution
}

export function checkDistributionName<T extends DeleteDistributionRequest>(request: T): T {
  const distribution = inNamespace(request)
  checkPresent('id', distribution.id)
  checkParents(distribution)
  return distribution
}

function checkParents({ flagKey, ruleId, variantId }: Omit<DeleteDistributionRequest, 'id'>): void {
  checkKey('flagKey', flagKey)
  checkPresent('ruleId', ruleId)
  checkPresent('variantId', variantId)
}

/** As the 32-bit number that it is stored as; NaN is neither greater nor less than anything. */
function checkRollout(rollout: number): void {
  const share = Math.fround(rollout)
  if (!(share >= 0)) throw invalidField('rollout', "must be greater than or equal to '0'")
  if (!(share <= 100)) throw invalidField('rollout', "must be less than or equal to '100'")
}

export function distributionParentsNotFound(request: CreateDistributionRequest): AppError {
  const { namespaceKey, flagKey, ruleId, variantId } = request
  const parents = `variant "${variantId}", rule "${ruleId}", flag "${flagKey}"`
  return notFound('distribution_parents', `${parents} in namespace "${namespaceKey}" not found`)
}

export function distributionNotFound(id: string): AppError {
  return notFound('distribution', `distribution "${id}" not found`)
}
