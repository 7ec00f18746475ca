import type {
  ApplyResult,
  FlagDocument,
  OperationInput,
  RolloutDocument,
  RolloutDocumentInput,
} from '@svc/client/api'
import { api } from './api.ts'
import { withoutStop, withStop } from './stop.ts'
import { type RefreshOptions, type Written, write } from './writes.ts'

export interface FlagId {
  readonly namespaceKey: string
  readonly key: string
}

/** What is said with a change, and when what is shown is read anew. */
export interface WriteOptions extends RefreshOptions {
  readonly comment?: string | undefined
}

/**
 * Sets what a boolean flag gives where no rollout answers, or whether a variant flag is evaluated. Nothing
 * else is changed. It fails when others have done it meanwhile.
 */
export function setEnabled(
  { namespaceKey, key }: FlagId,
  enabled: boolean,
  options?: WriteOptions,
): Promise<Written<ApplyResult>> {
  return apply(
    namespaceKey,
    [{ kind: 'FLAG_KIND', key, patch: { enabled }, expect: { enabled: !enabled } }],
    options,
  )
}

/**
 * Gives a boolean flag's Off to everyone, by a rollout of 100% on top of the others. To take it back, undo
 * the change or {@link resumeFlag}.
 */
export function stopFlag(id: FlagId, comment?: string): Promise<Written<ApplyResult>> {
  return setRollouts(id, comment, (rollouts) => withStop(rollouts))
}

/** Takes away the rollout that {@link stopFlag} has made, wherever it stands by now, and no other. */
export function resumeFlag(id: FlagId, comment?: string): Promise<Written<ApplyResult>> {
  return setRollouts(id, comment, withoutStop)
}

/** It fails when others change the flag at the same moment. */
async function setRollouts(
  id: FlagId,
  comment: string | undefined,
  change: (rollouts: readonly RolloutDocument[]) => readonly RolloutDocumentInput[],
): Promise<Written<ApplyResult>> {
  const { flag, revision } = await api.documents.getFlag(id)
  const rollouts = change(flag.rollouts).map(toJson)
  const operation = {
    kind: 'FLAG_KIND',
    key: id.key,
    patch: { rollouts },
    ifRevision: revision,
  } as const
  return apply(id.namespaceKey, [operation], { comment })
}

/** Whether a boolean flag gives On to a part of the entities by its rollouts. */
export function servesOn({ rollouts }: Pick<FlagDocument, 'rollouts'>): boolean {
  let taken = 0
  for (const { segment, threshold } of rollouts) {
    if (segment?.value === true) return true
    if (threshold !== undefined && threshold.percentage > taken) {
      if (threshold.value) return true
      taken = threshold.percentage
    }
    if (taken >= 100) return false
  }
  return false
}

/** Does several operations in one change. */
export function apply(
  namespaceKey: string,
  operations: readonly OperationInput[],
  { comment, ...refresh }: WriteOptions = {},
): Promise<Written<ApplyResult>> {
  return write(
    namespaceKey,
    (options) =>
      api.documents.apply({ namespaceKey, operations, ...(comment && { comment }) }, options),
    refresh,
  )
}

function toJson<T extends object>(value: T) {
  return JSON.parse(JSON.stringify(value))
}
