import type { CompiledFlag } from '@svc/evaluation'
import { type AppError, invalidArgument, invalidField, notFound, unavailable } from '@svc/runtime'
import type { NamespaceState } from '../../replica/namespace-state.ts'
import type { Replica } from '../../replica/replica.ts'
import { noteEvaluation, noteMissing } from './measures.ts'
import { type EvaluationRequest, resolveNamespace } from './request.ts'
import { TurnLimit } from './turn-limit.ts'

/** @throws {AppError} `unavailable` while nothing has been loaded */
export function findNamespace(replica: Replica, namespaceKey: string): NamespaceState | undefined {
  if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
  return replica.namespace(resolveNamespace(namespaceKey))
}

export function flagNotFound({ namespaceKey, flagKey }: EvaluationRequest): AppError {
  return notFound('flag', `flag "${resolveNamespace(namespaceKey)}/${flagKey}" not found`)
}

/** @throws {AppError} `not_found`, or `invalid_argument` for a flag of the other type */
export function findFlag<T extends CompiledFlag['type']>(
  replica: Replica,
  request: EvaluationRequest,
  type: T,
): Extract<CompiledFlag, { readonly type: T }> {
  const { namespaceKey, flagKey } = request
  const state = findNamespace(replica, namespaceKey)
  const flag = state?.flags.get(flagKey)
  if (flag === undefined) {
    noteMissing(state?.key)
    throw flagNotFound(request)
  }
  if (!isOfType(flag, type)) {
    noteEvaluation(resolveNamespace(namespaceKey), flagKey, flag.type, 'wrong_type')
    const endpoint = flag.type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant'
    throw invalidArgument(`flag type ${flag.type} invalid: use /evaluate/v1/${endpoint}`)
  }
  return flag
}

/**
 * Attachments and keys of segments are held once, however often they are served; only in an answer do
 * they add up. More than this would take seconds to write, in which no other request is answered.
 */
const maxTextsLength = 16 * 2 ** 20

/** What a key in a list takes besides itself: quotes and a comma. */
const aroundKey = 3

/** Called with what of an evaluation is in the answer, as often as it is there. */
export type CountTexts = (segmentKeys: readonly string[], attachment: string) => void

/**
 * @param field the field of the request
 * @returns what counts the texts of one answer and throws when they are too many
 */
export function limitTexts(field = 'requests'): CountTexts {
  let length = 0
  return (segmentKeys, attachment) => {
    length += attachment.length
    for (const key of segmentKeys) length += key.length + aroundKey
    if (length > maxTextsLength) {
      const what = 'more than 16 MiB of attachments and keys of segments'
      throw invalidField(field, `have ${what}, ask for fewer at once`)
    }
  }
}

/** Maximum processor time of a batch, in milliseconds; one of 1,000 usual evaluations takes one. */
const maxBatchMs = 250

/** @returns what is called after each evaluation of a batch and throws when they take too long */
export function limitTime(): () => void {
  const limit = new TurnLimit(maxBatchMs)
  return () => {
    if (limit.isOver()) {
      throw invalidField('requests', 'take too long together, ask for fewer at once')
    }
  }
}

function isOfType<T extends CompiledFlag['type']>(
  flag: CompiledFlag,
  type: T,
): flag is Extract<CompiledFlag, { readonly type: T }> {
  return flag.type === type
}
