import { lookup } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadContract } from '@svc/contract'
import type { ProcessContext, Serving } from '@svc/process'
import { protectionOf, RpcChannel } from '@svc/rpc'
import { AppError, every, type Logger } from '@svc/runtime'
import type { FastifyInstance } from 'fastify'
import { callServices } from './answers/remote/call.ts'
import { buildApp } from './app.ts'
import { Readiness } from './health.ts'
import { endKeepAlive } from './http/connections.ts'
import { Identities } from './identity/identities.ts'
import { RefusalCounts } from './identity/refusal-counts.ts'
import { reportIntervalMs, Uses } from './identity/uses.ts'
import { basePathsBehind } from './interface/base-path.ts'
import { openSite } from './interface/site.ts'
import { PositionReports } from './replica/position-reports.ts'
import { Replica } from './replica/replica.ts'
import { measureReplica } from './replica/replica-metrics.ts'

/** Starts the gateway. It listens at once, and is ready when it has the flags and has reached auth. */
export async function startGateway({ settings, log, metrics }: ProcessContext): Promise<Serving> {
  const protection = protectionOf(settings, log)
  const contract = loadContract()
  // Retried, because they change nothing.
  const retried = contract.operations
    .filter(({ access }) => access.action === 'READ')
    .map(({ service, name }) => ({ service, method: name }))
  const options = { protection, retried, log }
  const auth = new RpcChannel(settings.auth.address, { name: 'the auth service', ...options })
  const resource = new RpcChannel(settings.resource.address, {
    name: 'the resource service',
    ...options,
  })

  const identities = new Identities(auth, log, { maxStaleMs: settings.cache.maxStale })
  const uses = new Uses((uses) => identities.report({ uses }))
  const refusals = new RefusalCounts((refusals) => identities.report({ refusals }))
  const replica = new Replica(resource, log)
  const positions = new PositionReports(resource, replica, log)
  const basePathOf = basePathsBehind(settings.server)
  const services = callServices(
    { auth, resource },
    settings.authentication.methods.jwt.enabled,
    basePathOf,
  )
  const readiness = new Readiness({ replica, identities })
  const counts = { uses, refusals }
  const site = openSite({ isEnabled: settings.ui.enabled }, log)
  const base = { settings, log, contract, basePathOf }
  const parts = { ...base, replica, identities, counts, readiness, site, services, metrics }
  const app = await buildApp(parts)
  if (metrics !== undefined) measureReplica(replica)

  const end = new AbortController()
  const following = [
    identities.follow(end.signal),
    replica.follow(end.signal),
    positions.follow(end.signal),
    every(reportIntervalMs, end.signal, log, () => report([uses, refusals], log)),
  ]
  const drain = async (drainMs: number) => {
    readiness.beginDrain()
    endKeepAlive(app.server)
    await sleep(drainMs)
  }
  const close = async () => {
    readiness.beginDrain()
    const reportCounts = () => report([uses, refusals], log)
    // Also now: the answers under way take a while, and the process may be ended meanwhile.
    await Promise.all([app.close(), reportCounts()])
    end.abort()
    await Promise.all(following)
    await Promise.all([positions.leave(), reportCounts()])
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
async function report(counts: readonly (Uses | RefusalCounts)[], log: Logger): Promise<void> {
  const message = 'cannot report the uses of tokens, or refused requests'
  const reports = counts.map((one) =>
    one.report().catch((error: unknown) => log.debug({ err: error }, message)),
  )
  await Promise.all(reports)
}

/** Connections that the kernel keeps until they are accepted, or fewer by its own settings: clients come back together. */
const backlog = 4096

/** `::` is all interfaces of both families, and of the one that there is where the system has no IPv6. */
async function listenOn(app: FastifyInstance, host: string, port: number): Promise<void> {
  const options = { port, backlog }
  try {
    await app.listen({ ...options, host: await oneAddressOf(host) })
  } catch (error) {
    if (host !== '::' || !hasCode(error, 'EAFNOSUPPORT')) throw error
    await app.listen({ ...options, host: '0.0.0.0' })
  }
}

/** By the name `localhost` Fastify opens a server for each of its addresses, and the others without our limits. */
async function oneAddressOf(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host, { order: 'ipv4first' })).address : host
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  // Fastify would log a line for each address; ours is the one.
  const { level } = app.log
  app.log.level = 'silent'
  try {
    await listenOn(app, host, port)
    const address = app.server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  } catch (error) {
    const message = hasCode(error, 'EADDRINUSE')
      ? `port ${port} is in use; set server.http_port or SVC_SERVER_HTTP_PORT to another`
      : `cannot listen on ${host}:${port}`
    throw new AppError('failed_precondition', 'port_unusable', message, { cause: error })
  } finally {
    app.log.level = level
  }
}
