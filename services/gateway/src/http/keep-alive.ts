import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/**
 * Ends persistent connections one by one, each with the answer to its next request: that carries
 * `Connection: close`, so that clients open another one, by which a load balancer gives them another
 * gateway. A listener that is added only now: before that no request pays for it.
 */
export function endKeepAlive(server: Server): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close')
  })
}
