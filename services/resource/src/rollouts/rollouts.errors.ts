import type { Rollout, RolloutType } from '@svc/proto/resource/v1/rollouts'
import { type AppError, alreadyExists, invalidArgument, invalidField, notFound } from '@svc/runtime'

export function rolloutHasNoType(): AppError {
  return invalidField('rule', 'invalid rollout rule type')
}

export function rolloutRuleIsMissing(): AppError {
  return invalidArgument('rollout rule is missing')
}

export function rolloutNotFound(namespaceKey: string, id: string): AppError {
  return notFound('rollout', `rollout "${namespaceKey}/${id}" not found`)
}

export function rankNotUnique(rank: number): AppError {
  return alreadyExists('rank', `rank number: ${rank} already exists`)
}

/** Both or either of them; the quotes stand where existing clients look for them. */
export function rolloutParentsNotFound({
  namespaceKey,
  flagKey,
  segment,
}: Pick<Rollout, 'namespaceKey' | 'flagKey' | 'segment'>): AppError {
  const subject = `${namespaceKey}/${flagKey} or segment ${segment?.segmentKey ?? ''}`
  return notFound('rollout_parents', `flag "${subject}" not found`)
}

export function rolloutKeepsType(have: RolloutType, attempted: RolloutType): AppError {
  const types = `have "${have}" attempted "${attempted}"`
  return invalidArgument(`cannot change type of rollout: ${types}`)
}

export function hasSeveralThresholds(namespaceKey: string, flagKey: string): AppError {
  const flag = `flag "${namespaceKey}/${flagKey}"`
  return invalidArgument(`${flag} has more than one threshold rollout; id is required`)
}
