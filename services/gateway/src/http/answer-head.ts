import type { ServerResponse } from 'node:http'

/** What Node.js does not document; answer-head.test.ts says when it means something else. */
interface Internals {
  /** The head as it is sent. Node.js makes none where there is one. */
  _header?: string
  /** The connection ends with this answer. */
  readonly maxRequestsOnConnectionReached?: boolean
}

/**
 * Heads that differ in two values only. Node.js takes a seventh of a request to write one, so it writes
 * one a second, and the others are copies with their own values.
 *
 * @param headers of every answer: names and values in turn
 * @returns what writes the head of an answer
 */
export function headWriter(headers: readonly string[], status = 200) {
  let last = { second: Number.NaN, before: '', after: '' }
  return (response: ServerResponse & Internals, requestId: string, contentLength: number): void => {
    const own = `${requestId}\r\ncontent-length: ${contentLength}\r\n`
    const second = Math.floor(Date.now() / 1000)
    const isUsual =
      response.shouldKeepAlive &&
      !response.maxRequestsOnConnectionReached &&
      !response.hasHeader('connection')
    if (isUsual && second === last.second) {
      response._header = last.before + own + last.after
      return
    }
    const varying = ['x-request-id', requestId, 'content-length', String(contentLength)]
    response.writeHead(status, [...headers, ...varying])
    const [before = '', after] = response._header?.split(own) ?? []
    if (isUsual && after !== undefined) last = { second, before, after }
  }
}
