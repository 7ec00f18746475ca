import { AppError } from '@svc/runtime'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { malformedUrl, urlTooLong } from './errors.ts'

/** Longer than the longest path with all its keys at their limit of 255, percent-encoded. */
export const maxUrlBytes = 4096

/** Checks what has to hold for every request, before its body is read. */
export function addRequestChecks(app: FastifyInstance): void {
  app.addHook('preParsing', ({ raw }, _reply, _payload, done) => {
    // Bodies are JSON whatever they are called, and Fastify would refuse a type that it cannot read.
    if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = 'application/json'
    done(faultOf(raw))
  })
}

function faultOf({ url = '', headers }: FastifyRequest['raw']): AppError | null {
  if (url.length > maxUrlBytes) return urlTooLong()
  if (isMalformed(url)) return malformedUrl()
  const { 'content-encoding': encoding = 'identity' } = headers
  return encoding === 'identity'
    ? null
    : new AppError('invalid_argument', 'encoded_body', 'encoded bodies are not accepted')
}

/** The router decodes the path and gives up on some mistakes; the query has to be as good. */
function isMalformed(url: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(url)) return true
  if (!url.includes('%')) return false
  try {
    return decodeURIComponent(url).includes('\0')
  } catch {
    return true
  }
}
