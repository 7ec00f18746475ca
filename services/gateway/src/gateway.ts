import { setTimeout as sleep } from 'node:timers/promises'
import { assertionKey } from '@svc/access'
import { loadContract } from '@svc/contract'
import type { ProcessContext, Serving } from '@svc/process'
import { protectionOf, RpcChannel } from '@svc/rpc'
import { AppError, every, type Logger } from '@svc/runtime'
import type { FastifyInstance } from 'fastify'
import type { TranscodingParts } from './answers/remote/routes.ts'
import { buildApp } from './app.ts'
import { Readiness } from './health.ts'
import { endKeepAlive } from './http/keep-alive.ts'
import { carryBack, metadataForAuth } from './identity/carrying.ts'
import { Identities } from './identity/identities.ts'
import { refuseCookie } from './identity/refusals.ts'
import { reportIntervalMs, Uses } from './identity/uses.ts'
import { Replica } from './replica/replica.ts'

/** What a read and a write may take behind the gateway, in milliseconds. */
const readTimeoutMs = 2000
const writeTimeoutMs = 3000
/** A change to a namespace waits up to 10 s for its turn. Below the limit of a route, which is 20 s. */
const changeTimeoutMs = 13_000
/** … and a login: auth gives up on the far side after six seconds, and then says what is away. */
const loginTimeoutMs = 7000

/**
 * Wires the gateway and starts it. It listens at once and is ready, as `/readyz` says, when it has
 * its copy of the flags and has reached auth.
 */
export async function startGateway({ settings, log }: ProcessContext): Promise<Serving> {
  const protection = protectionOf(settings)
  const contract = loadContract()
  const reads = contract.operations.filter(({ access }) => access.action === 'READ')
  const retried = reads.map(({ service, name }) => ({ service, method: name }))
  const auth = new RpcChannel(settings.auth.address, {
    name: 'the auth service',
    protection,
    retried,
    log,
  })
  const resource = new RpcChannel(settings.resource.address, {
    name: 'the resource service',
    protection,
    retried,
    log,
  })

  const identities = new Identities(auth, log, { maxStaleMs: settings.cache.maxStale })
  const uses = new Uses((uses) => identities.report(uses))
  const replica = new Replica(resource, log)
  const acceptsJwt = settings.authentication.methods.jwt.enabled
  const call: TranscodingParts['call'] = async (method, bytes, { request, reply, identity }) => {
    const { path, service, access } = method
    const isRead = access.action === 'READ'
    if (!service.startsWith('svc.auth.v1.')) {
      const assertion = identity?.assertion
      const metadata = assertion === undefined ? {} : { [assertionKey]: assertion }
      const timeoutMs = isRead ? readTimeoutMs : changeTimeoutMs
      return resource.call(path, bytes, { timeoutMs, metadata })
    }
    const isLogin = access.scope.case === 'public'
    // Auth looks at the credential itself where it matters who is calling; we have, too, by now.
    const metadata = metadataForAuth(request, { isLogin, acceptsJwt })
    const answer = auth.call(path, bytes, {
      timeoutMs: isLogin ? loginTimeoutMs : isRead ? readTimeoutMs : writeTimeoutMs,
      metadata,
      onTrailers: (trailers) => carryBack(trailers, reply),
    })
    return metadata['svc-credential'] === 'cookie' ? answer.catch(refuseCookie) : answer
  }
  const readiness = new Readiness({ replica, identities })
  const parts = { settings, log, contract, replica, identities, uses, readiness, call }
  const app = await buildApp(parts)

  const end = new AbortController()
  const following = [
    identities.follow(end.signal),
    replica.follow(end.signal),
    every(reportIntervalMs, end.signal, log, () => report(uses, log)),
  ]
  const drain = async (drainMs: number) => {
    readiness.beginDrain()
    endKeepAlive(app.server)
    await sleep(drainMs)
  }
  const close = async () => {
    readiness.beginDrain()
    await app.close()
    end.abort()
    await Promise.all(following)
    await report(uses, log)
    auth.close()
    resource.close()
  }
  try {
    const port = await listen(app, settings.server.host, settings.server.httpPort)
    log.info({ host: settings.server.host, port }, 'gateway is listening')
    return { port, readiness, drain, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What cannot be reported waits for the next time. */
async function report(uses: Uses, log: Logger): Promise<void> {
  await uses
    .report()
    .catch((error: unknown) => log.debug({ err: error }, 'cannot report the uses of tokens'))
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  // Fastify would log a line for each address; ours is the one.
  const { level } = app.log
  app.log.level = 'silent'
  try {
    await app.listen({ host, port, backlog: 1024 })
  } catch (error) {
    const busy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    const message = busy
      ? `port ${port} is in use; set server.http_port or SVC_SERVER_HTTP_PORT to another`
      : `cannot listen on ${host}:${port}`
    throw new AppError('failed_precondition', 'port_unusable', message, { cause: error })
  } finally {
    app.log.level = level
  }
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
