import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a browser answers: with a code, or by saying that the person did not allow it. */
export type LoopbackAnswer = { readonly code: string } | { readonly error: string }

export interface Loopback {
  readonly port: number
  /** The first answer of this login. Rejects when it takes longer than it may, or the signal is aborted. */
  readonly answer: Promise<LoopbackAnswer>
  /** Sends the browser that answered back to a page, and ends. Without an answer it only ends. */
  close(location: string): Promise<void>
}

function toUrl(path = '/'): URL {
  const base = 'http://127.0.0.1'
  return new URL(URL.canParse(path, base) ? path : '/nowhere', base)
}

/**
 * Listens on a free port of this machine for what a browser brings.
 *
 * @param state what the answer has to say besides: other pages, which do not know it, cannot answer
 */
export async function listenOnLoopback(state: string, signal: AbortSignal): Promise<Loopback> {
  let browser: ServerResponse | undefined
  let resolve: (answer: LoopbackAnswer) => void = () => {}
  const answer = new Promise<LoopbackAnswer>((resolved, reject) => {
    resolve = resolved
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // It is also awaited by the caller; without one it is no error of the process.
  answer.catch(() => {})
  const server = createServer((request, response) => {
    response.setHeader('cache-control', 'no-store')
    response.setHeader('connection', 'close')
    const { pathname, searchParams } = toUrl(request.url)
    const [code, error] = [searchParams.get('code'), searchParams.get('error')]
    const isAnswer = request.method === 'GET' && pathname === '/' && (code ?? error) !== null
    if (browser !== undefined || !isAnswer || searchParams.get('state') !== state) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
      response.end('svc waits here for the answer to another link: the one that it has printed.\n')
      return
    }
    browser = response
    resolve(code === null ? { error: error ?? '' } : { code })
  })
  await new Promise<void>((listening, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', listening)
  })
  return {
    port: (server.address() as AddressInfo).port,
    answer,
    async close(location) {
      const sent = browser
      if (sent !== undefined && !sent.destroyed) {
        await new Promise<void>((ended) => {
          sent.once('close', ended)
          sent.writeHead(303, { location, 'referrer-policy': 'no-referrer' }).end()
        })
      }
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
