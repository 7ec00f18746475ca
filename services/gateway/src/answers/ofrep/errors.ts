import { isObject } from '@svc/contract'
import type { AppError } from '@svc/runtime'
import type { FastifyRequest } from 'fastify'

/** Whether OFREP says what the answer to a request looks like, also where there is no route. */
export function isOfrepRequest({ routeOptions, raw }: FastifyRequest): boolean {
  const path = routeOptions.url ?? raw.url ?? ''
  return /^\/ofrep(?:[/?]|$)/.test(path)
}

/**
 * The body of a failed request in the form of OFREP. Clients insist on a key and a code where they
 * have asked for one flag.
 */
export function ofrepErrorBody(
  { code, message }: AppError,
  status: number,
  request: FastifyRequest,
): string {
  const key = askedKeyOf(request)
  const errorCode =
    code === 'not_found' ? 'FLAG_NOT_FOUND' : status === 400 ? 'INVALID_CONTEXT' : 'GENERAL'
  return JSON.stringify({ ...(key && { key }), errorCode, errorDetails: message })
}

function askedKeyOf({ routeOptions, params }: FastifyRequest): string | undefined {
  if (!routeOptions.url?.startsWith('/ofrep/v1/evaluate/flags/:key')) return undefined
  return isObject(params) ? String(params.key) : undefined
}
