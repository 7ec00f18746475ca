import { fileURLToPath } from 'node:url'
import { findFreePort } from './ports.ts'
import type { ServiceSpec } from './supervise.ts'

/** Ports that the services keep when they are started again, so that the others find them. */
export interface ServicePorts {
  readonly auth: number
  readonly resource: number
}

export async function choosePorts(): Promise<ServicePorts> {
  const [auth, resource] = await Promise.all([findFreePort(), findFreePort()])
  return { auth, resource }
}

export function gatewaySpec(host: string, httpPort: number, ports: ServicePorts): ServiceSpec {
  const script = fileURLToPath(import.meta.resolve('@svc/gateway/main'))
  const own = { SVC_SERVER_HOST: host, SVC_SERVER_HTTP_PORT: String(httpPort) }
  return { name: 'gateway', script, env: { ...shared(ports), ...own } }
}

export function authSpec(databaseUrl: string, ports: ServicePorts): ServiceSpec {
  const script = fileURLToPath(import.meta.resolve('@svc/auth/main'))
  return { name: 'auth', script, env: { ...shared(ports), SVC_DB_URL: databaseUrl } }
}

export function resourceSpec(databaseUrl: string, ports: ServicePorts): ServiceSpec {
  const script = fileURLToPath(import.meta.resolve('@svc/resource/main'))
  return { name: 'resource', script, env: { ...shared(ports), SVC_DB_URL: databaseUrl } }
}

/** Compiled code, kept beside what is installed: without it a start takes a sixth longer. */
const compileCache = fileURLToPath(
  new URL('../../../node_modules/.svc/compile-cache', import.meta.url),
)

/** What was meant for the launcher, which has used it, or would speak against what it decided. */
const notInherited = ['SVC_DB_URL', 'SVC_DB_URL_FILE', 'DATABASE_URL', 'PORT', 'SVC_TOKEN']

function shared(ports: ServicePorts): NodeJS.ProcessEnv {
  const auth = `127.0.0.1:${ports.auth}`
  const resource = `127.0.0.1:${ports.resource}`
  const env: NodeJS.ProcessEnv = {
    NODE_COMPILE_CACHE: compileCache,
    ...process.env,
    SVC_LOG_ENCODING: 'json',
    SVC_AUTH_LISTEN: auth,
    SVC_AUTH_ADDRESS: auth,
    SVC_RESOURCE_LISTEN: resource,
    SVC_RESOURCE_ADDRESS: resource,
  }
  for (const name of notInherited) delete env[name]
  return env
}
