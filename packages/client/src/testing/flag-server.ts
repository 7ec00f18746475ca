import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

/** A request as a server got it. */
export interface Asked {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Handler = (asked: Asked, response: ServerResponse) => void

/** A server whose answers the test chooses, request by request. */
export interface FlagServer {
  readonly url: string
  readonly asked: readonly Asked[]
  /** Answers each request from now on. */
  handle(handler: Handler): void
  /** Ends all connections, in the middle of whatever they are at, and takes no more. */
  close(): void
}

export async function startFlagServer(t: Test, first: Handler): Promise<FlagServer> {
  const asked: Asked[] = []
  let handler = first
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const one = { method, url, headers, body: await text(request) }
    asked.push(one)
    handler(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  t.teardown(close)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    handle(next) {
      handler = next
    },
    close,
  }
}

/** Begins a stream, which goes on. */
export function openStream(response: ServerResponse, ...events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`retry: 1000\n\n${events.join('')}`)
}

/** Refuses as the service does. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ code: 0, message, details: [] }))
}
