import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { type RequestOptions, request as requestSecure } from 'node:https'
import { AppError, unavailable } from '@svc/runtime'
import { counter, inSpan, type SpanDescription, traceHeaders } from '@svc/telemetry'
import { guardedLookup, type Lookup, type Policy } from './outbound.addresses.ts'

/** A subset of `fetch`. Follows no redirects and caches nothing. */
export type Fetch = (url: string | URL, options?: FetchOptions) => Promise<Response>

export interface FetchOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>> | Headers
  readonly body?: string | URLSearchParams | undefined
  readonly signal?: AbortSignal | undefined
}

/** What this service calls. */
export type Peer = 'oidc' | 'codehost' | 'jwt' | 'kubernetes'

/** @returns what counts a request to a peer by its status, which is left out where there is no answer */
export function countRequests(peer: Peer): (status: number | undefined) => void {
  const requests = counter('svc.outbound.requests')
  return (status) => {
    const result = status === undefined ? 'no_answer' : `${Math.floor(status / 100)}xx`
    requests.add(1, { peer, result })
  }
}

/** The settings of a peer, which each method has. */
export interface OutboundSettings extends Policy {
  readonly caFile?: string | undefined
}

export interface OutboundLimits {
  /** Time limit of a response, to its last byte, in milliseconds. @default 5000 */
  readonly timeoutMs?: number
  /** @default 1 MiB */
  readonly maxBytes?: number
  /** Resolver of names. @default that of the system */
  readonly lookup?: Lookup
}

/**
 * Makes the HTTP client for peers. Addresses are checked when the connection is made: never link-local
 * or metadata addresses, private ones only where allowed, http only to loopback where allowed.
 *
 * The client rejects with `unavailable`; the cause is for the log.
 *
 * @throws {AppError} when the file of certificates cannot be read
 */
export function openOutbound(
  peer: Peer,
  settings: OutboundSettings,
  limits: OutboundLimits = {},
): Fetch {
  const count = countRequests(peer)
  const { timeoutMs = 5000, maxBytes = 2 ** 20 } = limits
  const ca = settings.caFile === undefined ? undefined : readCertificates(settings.caFile)

  return async (target, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(target)
    const deadline = AbortSignal.timeout(timeoutMs)
    const content = body?.toString()
    try {
      const options = {
        method,
        headers: {
          ...Object.fromEntries(new Headers(headers)),
          // An uncompressed response cannot expand beyond its limit.
          'accept-encoding': 'identity',
          ...(content !== undefined && { 'content-length': String(Buffer.byteLength(content)) }),
          ...(body instanceof URLSearchParams && { 'content-type': formType }),
        },
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
        // No reuse of connections: requests are few, and each has its address checked.
        agent: false,
        lookup: guardedLookup(url, settings, limits.lookup),
        ...(ca !== undefined && { ca }),
      }
      const response = await exchange(url, options, content, maxBytes)
      count(response.status)
      return response
    } catch (error) {
      count(undefined)
      const reason = deadline.aborted ? new Error(`no answer in ${timeoutMs} ms`) : error
      const cause = new Error(`cannot call ${url.origin}`, { cause: reason })
      throw unavailable('a service that this one depends on is unavailable, try again', { cause })
    }
  }
}

const formType = 'application/x-www-form-urlencoded;charset=UTF-8'

export interface ExchangeOptions extends RequestOptions {
  /** Whether the server is told of the trace: one of the installation, and no identity provider. */
  readonly sendsTrace?: boolean
}

/**
 * Sends a request and reads its response, with which the connection ends. Follows no redirect.
 *
 * @throws {RangeError} when the response is longer than `maxBytes`; and what the request fails with
 */
export function exchange(
  url: URL,
  options: ExchangeOptions,
  content: string | undefined,
  maxBytes: number,
): Promise<Response> {
  return inSpan(
    () => describe(url, options),
    async (span) => {
      const response = await send(url, options, content, maxBytes)
      span?.setAttribute('http.response.status_code', response.status)
      return response
    },
  )
}

/** The span of a request: neither its query nor its path, which may name a person. */
function describe(url: URL, { method = 'GET' }: RequestOptions): SpanDescription {
  const attributes = {
    'http.request.method': method,
    'url.scheme': url.protocol.slice(0, -1),
    'server.address': url.hostname,
    ...(url.port !== '' && { 'server.port': Number(url.port) }),
  }
  return { name: `${method} ${url.hostname}`, kind: 'client', attributes }
}

async function send(
  url: URL,
  { sendsTrace = false, ...options }: ExchangeOptions,
  content: string | undefined,
  maxBytes: number,
): Promise<Response> {
  const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, options)
  // Within the span of this request, which is the parent of the server's.
  if (sendsTrace) request.setHeaders(new Map(Object.entries(traceHeaders())))
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(content)
  })
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } finally {
    request.destroy()
  }
  const status = response.statusCode ?? 0
  const hasBody = status !== 204 && status !== 304
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers })
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const message = `the certificates in ${path} cannot be read; see ca_file`
    throw new AppError('failed_precondition', 'ca_file_unreadable', message, { cause: error })
  }
}
