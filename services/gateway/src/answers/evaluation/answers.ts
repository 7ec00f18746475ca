import {
  type BooleanEvaluation,
  evaluateBoolean,
  evaluateVariant,
  type FlagSet,
  toEntity,
  type VariantEvaluation,
} from '@svc/evaluation'
import { invalidArgument, invalidField, notFound, unavailable } from '@svc/runtime'
import type { Replica } from '../../replica/replica.ts'
import { type EvaluationRequest, resolveNamespace } from './request.ts'

/** @throws {AppError} `unavailable` while nothing has been loaded */
export function flagsOf(replica: Replica, namespaceKey: string): FlagSet | undefined {
  if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
  return replica.namespace(resolveNamespace(namespaceKey))?.flags
}

/** @throws {AppError} `not_found`, or `invalid_argument` for a flag of the other type */
export function answerBoolean(replica: Replica, request: EvaluationRequest): BooleanEvaluation {
  const flag = flagsOf(replica, request.namespaceKey)?.get(request.flagKey)
  if (flag === undefined) throw flagNotFound(request)
  if (flag.type !== 'BOOLEAN_FLAG_TYPE') throw wrongFlagType(flag.type, 'variant')
  return evaluateBoolean(flag, toEntity(request.entityId, request.context))
}

/** @throws {AppError} `not_found`, or `invalid_argument` for a flag of the other type */
export function answerVariant(replica: Replica, request: EvaluationRequest): VariantEvaluation {
  const flag = flagsOf(replica, request.namespaceKey)?.get(request.flagKey)
  if (flag === undefined) throw flagNotFound(request)
  if (flag.type !== 'VARIANT_FLAG_TYPE') throw wrongFlagType(flag.type, 'boolean')
  return evaluateVariant(flag, toEntity(request.entityId, request.context))
}

/**
 * Attachments are held once, however often they are served; only in an answer do they add up. More
 * than this would take seconds to write, in which no other request is answered.
 */
const maxAttachmentsLength = 16 * 2 ** 20

/**
 * @param field what the request asks with
 * @returns what counts the attachments of one answer and throws when they are too many
 */
export function limitAttachments(field = 'requests'): (attachment: string) => void {
  let length = 0
  return (attachment) => {
    length += attachment.length
    if (length > maxAttachmentsLength) {
      throw invalidField(field, 'have more than 16 MiB of attachments, ask for fewer at once')
    }
  }
}

function flagNotFound({ namespaceKey, flagKey }: EvaluationRequest) {
  return notFound('flag', `flag "${resolveNamespace(namespaceKey)}/${flagKey}" not found`)
}

function wrongFlagType(type: string, endpoint: 'boolean' | 'variant') {
  return invalidArgument(`flag type ${type} invalid: use /evaluate/v1/${endpoint}`)
}
