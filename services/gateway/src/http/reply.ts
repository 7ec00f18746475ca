import { isObject } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorBody, logFailure, toErrorAnswer } from './errors.ts'
import type { AnswerBody, Exchange } from './exchange.ts'
import { apiHeaders } from './headers.ts'

/** Sends an answer through Fastify, which may compress it, after {@link setHeaders}. */
export function sendAnswer(reply: FastifyReply, exchange: Exchange, body: AnswerBody): unknown {
  reply.code(exchange.status)
  if (typeof body === 'function') return body(reply)
  if (body === undefined) return reply.send()
  reply.header('content-type', 'application/json')
  // Bytes, because Fastify names a character set with a text.
  return reply.send(typeof body === 'string' ? Buffer.from(body) : body)
}

/** Sets the headers of an exchange; `Vary` adds to what others, such as CORS, have said. */
export function setHeaders(reply: FastifyReply, { headers }: Pick<Exchange, 'headers'>): void {
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2)
    const before = name === 'vary' ? reply.getHeader(name) : undefined
    reply.header(name, before === undefined ? value : `${before}, ${value}`)
  }
}

/** Sends an error through Fastify. */
export function sendError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  write?: ErrorBody,
): void {
  const params = isObject(request.params) ? (request.params as Record<string, string>) : {}
  const { status, headers, body } = toErrorAnswer(error, request, params, write)
  logFailure(request.log, error, status)
  for (const [name, value] of Object.entries(headers)) {
    if (!reply.hasHeader(name)) reply.header(name, value)
  }
  // Fastify closes the connection after a body it has not read to its end, and then the sender may
  // not get to see this answer. Node.js reads the rest, for as long as a request may take.
  // To remove one that is not there would keep Node.js from ending a connection after its last request.
  const isOfFastify = reply.hasHeader('connection') && !reply.raw.hasHeader('connection')
  if (isOfFastify) reply.removeHeader('connection')
  reply
    .code(status)
    .headers({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    .send(Buffer.from(body))
}

/** The same for errors that arise before a route, and with it any hook, is found. */
export function frameworkErrorSender(
  headers: Readonly<Record<string, string>> = apiHeaders,
  errorBodyOf: ErrorBodyOf = () => undefined,
) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    sendError(error, request, reply.headers(headers), errorBodyOf(request))
  }
}

/** The form that errors of a request have, where it is another than usual. */
export type ErrorBodyOf = (request: FastifyRequest) => ErrorBody | undefined
