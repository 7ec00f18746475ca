import { randomUUID } from 'node:crypto'
import {
  type BooleanEvaluation,
  evaluateBoolean,
  evaluateVariant,
  type FlagSet,
  type VariantEvaluation,
} from '@svc/evaluation'
import { invalidArgument, invalidField, notFound, unavailable } from '@svc/runtime'
import type { Replica } from '../replica/replica.ts'
import { type EvaluationRequest, resolveNamespace } from './request.ts'

/** What the answers of one HTTP request have in common. */
export interface Moment {
  /** RFC 3339. */
  readonly timestamp: string
  readonly requestDurationMillis: number
}

export interface BooleanAnswer extends BooleanEvaluation, Moment {
  readonly requestId: string
  readonly flagKey: string
}

export interface VariantAnswer extends VariantEvaluation, Moment {
  readonly requestId: string
  readonly flagKey: string
}

/** @returns what measures the time since this call */
export function startMoment(): () => Moment {
  const startedAt = performance.now()
  return () => ({
    // RFC 3339 as ProtoJSON writes it: no fraction of zeros.
    timestamp: new Date().toISOString().replace('.000Z', 'Z'),
    requestDurationMillis: performance.now() - startedAt,
  })
}

/** @throws {AppError} `unavailable` while nothing has been loaded */
export function flagsOf(replica: Replica, namespaceKey: string): FlagSet | undefined {
  if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
  return replica.namespace(resolveNamespace(namespaceKey))?.flags
}

/** @throws {AppError} `not_found`, or `invalid_argument` for a flag of the other type */
export function answerBoolean(replica: Replica, request: EvaluationRequest): BooleanEvaluation {
  const flag = flagsOf(replica, request.namespaceKey)?.get(request.flagKey)
  if (flag === undefined) throw flagNotFound(request)
  if (flag.type !== 'BOOLEAN_FLAG_TYPE') throw wrongFlagType(flag.type)
  return evaluateBoolean(flag, request.entityId, request.context)
}

/** @throws {AppError} `not_found`, or `invalid_argument` for a flag of the other type */
export function answerVariant(replica: Replica, request: EvaluationRequest): VariantEvaluation {
  const flag = flagsOf(replica, request.namespaceKey)?.get(request.flagKey)
  if (flag === undefined) throw flagNotFound(request)
  if (flag.type !== 'VARIANT_FLAG_TYPE') throw wrongFlagType(flag.type)
  return evaluateVariant(flag, request.entityId, request.context)
}

/**
 * Attachments are held once, however often they are served; only in an answer do they add up. More
 * than this would take seconds to write, in which nobody else is answered.
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

export function requestIdOf(request: { readonly requestId: string }): string {
  return request.requestId === '' ? randomUUID() : request.requestId
}

function flagNotFound({ namespaceKey, flagKey }: EvaluationRequest) {
  return notFound('flag', `flag "${resolveNamespace(namespaceKey)}/${flagKey}" not found`)
}

function wrongFlagType(type: string) {
  return invalidArgument(`flag type ${type} invalid`)
}
