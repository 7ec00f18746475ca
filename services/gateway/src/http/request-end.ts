import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Exchange } from './exchange.ts'

/** nginx's status of a request that has no answer, as its client closed the connection. It is never sent. */
export const clientClosedRequest = 499

/** @param status of the answer, also where the client has left and did not get it */
type OnEnd = (request: FastifyRequest, reply: FastifyReply, status: number) => void

declare module 'fastify' {
  interface FastifyInstance {
    /** Called once for each request, but for those that have become an event stream. */
    readonly endHooks: OnEnd[]
  }
}

/**
 * Calls the hooks for the end of requests. `onResponse` of Fastify is not called when the client has left: Node.js emits
 * neither `finish` nor `error` then. `close` it does, and when there is no answer yet, its status is waited for.
 */
export function addRequestEnd(app: FastifyInstance): void {
  const hooks: OnEnd[] = []
  app.decorate('endHooks', hooks)

  const end = (request: FastifyRequest, reply: FastifyReply, status: number): void => {
    if (request.exchange.phase === 'ended') return
    request.exchange.phase = 'ended'
    for (const hook of hooks) hook(request, reply, status)
  }
  app.addHook('onRequest', (request, reply, done) => {
    // Event streams remove it, with all other listeners.
    reply.raw.once('close', () => {
      const isAnswered = request.exchange.phase === 'answered' || reply.sent
      if (isAnswered) end(request, reply, reply.statusCode)
      else if (!request.raw.complete) end(request, reply, clientClosedRequest)
    })
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    // There is none of a URL that the router cannot read.
    const { exchange }: { exchange?: Exchange } = request
    if (exchange?.phase === 'begun') {
      exchange.phase = 'answered'
      if (!hasConnection(reply.raw)) end(request, reply, reply.statusCode)
    }
    done(null, payload)
  })
}

/**
 * Whether an answer is sent as it is made: its client has not left, and no other answer on the connection comes before.
 * On Node.js 20 one that waits for another is not closed with the connection.
 */
function hasConnection({ socket }: ServerResponse): boolean {
  return socket !== null && !socket.destroyed
}
