import { AppError } from '@svc/runtime'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { malformedUrl } from './errors.ts'

/** Longer than the longest path with all its keys at their limit of 255, percent-encoded. */
const maxUrlBytes = 4096

/** Checks what has to hold for every request, before its body is read. */
export function addRequestChecks(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ raw: { url = '', headers } }: FastifyRequest) => {
    if (url.length > maxUrlBytes) {
      throw new AppError('invalid_argument', 'url_too_long', 'the URL is too long')
    }
    checkUrl(url)
    if (headers['content-encoding'] !== undefined) {
      throw new AppError('invalid_argument', 'encoded_body', 'encoded bodies are not accepted')
    }
    // Bodies are JSON whatever they are called, and Fastify would refuse a type that it cannot read.
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json'
  })
}

/** The router decodes the path and gives up on some mistakes; the query has to be as good. */
function checkUrl(url: string): void {
  if (!/^[\x21-\x7e]*$/.test(url)) throw malformedUrl()
  if (!url.includes('%')) return
  try {
    if (!decodeURIComponent(url).includes('\0')) return
  } catch {
    // Said below.
  }
  throw malformedUrl()
}
