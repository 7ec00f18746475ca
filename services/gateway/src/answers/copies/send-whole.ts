import type { OutgoingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { isObject } from '@svc/contract'
import type { EventLoopScheduler, Limiter } from '@svc/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { namesEtag } from '../../http/if-none-match.ts'
import { indentIf } from '../../http/json-text.ts'
import type { Replica } from '../../replica/replica.ts'
import { longestSendMs } from '../../streams/frame.ts'
import { isSmall, yieldBetween } from './copy-text.ts'
import type { Form } from './form.ts'
import { gzipLevel, type Whole, type Wholes } from './wholes.ts'

/** Below this, what compression saves is less than a packet. */
const minCompressedBytes = 1024

export interface CopyParts {
  readonly replica: Replica
  readonly wholes: Wholes
  /** Limits the large copies that are sent at once, by namespace. */
  readonly limiter: Limiter
}

/**
 * Answers an authorized request for the whole of a namespace.
 *
 * @throws {AppError} `invalid_argument` when the namespace is too large, `unavailable` when too many
 *   large copies are sent at once
 */
export async function sendWhole(
  { replica, wholes, limiter }: CopyParts,
  reply: FastifyReply,
  namespaceKey: string,
  form: Form,
): Promise<FastifyReply> {
  const { headers, query } = reply.request
  setCacheHeaders(reply, form)
  const state = replica.namespace(namespaceKey)
  if (state === undefined) {
    const empty = form.emptyOf(namespaceKey, replica.revisionOf(namespaceKey))
    return sendJson(reply, Buffer.from(empty))
  }
  const etag = form.etagOf(namespaceKey, state.revision)
  if (namesEtag(headers['if-none-match'], etag.replaceAll('"', ''))) {
    setValidators(reply, { etag, namespaceKey, revision: state.revision })
    return reply.code(304).send()
  }

  const whole = await wholes.get(state, form)
  const isPretty = isObject(query) && 'pretty' in query
  const isGzip =
    !isPretty && whole.text.length >= minCompressedBytes && takesGzip(headers['accept-encoding'])
  if (!isSmall(whole.text)) {
    return limiter.run(namespaceKey, () => streamWhole(reply, whole, isGzip, replica.scheduler))
  }
  const bytes = await wholes.bytesOf(whole, isGzip ? 'gzip' : 'identity')
  setValidators(reply, whole)
  if (isGzip) reply.header('content-encoding', 'gzip')
  return sendJson(reply, isPretty ? Buffer.from(indentIf(true, bytes.toString())) : bytes)
}

/** Sends a large whole as fast as the client takes it; a few slices at a time are in memory. */
async function streamWhole(
  reply: FastifyReply,
  whole: Whole,
  isGzip: boolean,
  scheduler: EventLoopScheduler,
): Promise<FastifyReply> {
  const { length } = whole.text
  setValidators(reply, whole)
  reply.header('content-type', 'application/json')
  if (isGzip) reply.header('content-encoding', 'gzip')
  else reply.header('content-length', length)
  // The client has left while the copy was made: the request ends without it.
  if (reply.raw.destroyed) return reply.send()
  const { raw } = reply.hijack()
  raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
  if (reply.request.method === 'HEAD') {
    raw.end()
    return reply
  }
  const slices = yieldBetween(whole.text.slices(), scheduler)
  const signal = AbortSignal.timeout(longestSendMs(length))
  const sending = isGzip
    ? pipeline(slices, createGzip({ level: gzipLevel }), raw, { signal })
    : pipeline(slices, raw, { signal })
  // The client has left or is too slow: nothing can be answered any more.
  await sending.catch(() => raw.destroy())
  return reply
}

/** The client alone caches it, and asks each time whether it is still the same. */
function setCacheHeaders(reply: FastifyReply, { varyOn }: Form): void {
  const vary = [reply.getHeader('vary') ?? [], 'accept-encoding', ...varyOn].flat()
  reply.headers({ 'cache-control': 'private, no-cache', vary: vary.join(', ') })
}

function setValidators(
  reply: FastifyReply,
  { etag, namespaceKey, revision }: Pick<Whole, 'etag' | 'namespaceKey' | 'revision'>,
): void {
  reply.headers({ etag, 'x-svc-revision': `${namespaceKey}:${revision}` })
}

function sendJson(reply: FastifyReply, body: Buffer): FastifyReply {
  return reply.header('content-type', 'application/json').send(body)
}

/** Not when it is refused by a weight of zero. */
function takesGzip(acceptEncoding: FastifyRequest['headers']['accept-encoding']): boolean {
  return /(?:^|[\s,])(?:x-)?gzip\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i.test(
    String(acceptEncoding),
  )
}
