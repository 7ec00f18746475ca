import type { CreateDistributionRequest } from '@svc/proto/resource/v1/distributions'
import { type AppError, notFound } from '@svc/runtime'

export function distributionParentsNotFound(request: CreateDistributionRequest): AppError {
  const { namespaceKey, flagKey, ruleId, variantId } = request
  const parents = `variant "${variantId}", rule "${ruleId}", flag "${flagKey}"`
  return notFound('distribution_parents', `${parents} in namespace "${namespaceKey}" not found`)
}

export function distributionNotFound(id: string): AppError {
  return notFound('distribution', `distribution "${id}" not found`)
}
