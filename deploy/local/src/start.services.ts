import { fileURLToPath } from 'node:url'
import { findFreePort } from './ports.ts'
import type { InternalSecrets } from './start.secrets.ts'
import type { ServiceSpec } from './supervise.ts'

/** Ports that the services keep when they are started again, so that the others find them. */
export interface ServicePorts {
  readonly auth: number
  readonly resource: number
}

/** How the services find each other, and know that it is them. */
export interface ServiceLinks {
  readonly ports: ServicePorts
  readonly secrets: InternalSecrets
}

export async function choosePorts(): Promise<ServicePorts> {
  const [auth, resource] = await Promise.all([findFreePort(), findFreePort()])
  return { auth, resource }
}

export function gatewaySpec(host: string, httpPort: number, links: ServiceLinks): ServiceSpec {
  const script = fileURLToPath(import.meta.resolve('@svc/gateway/main'))
  const own = {
    SVC_SERVER_HOST: host,
    SVC_SERVER_HTTP_PORT: String(httpPort),
  }
  return { name: 'gateway', script, env: { ...shared(links), ...own } }
}

export function authSpec(databaseUrl: string, links: ServiceLinks): ServiceSpec {
  const script = fileURLToPath(import.meta.resolve('@svc/auth/main'))
  return { name: 'auth', script, env: { ...shared(links), ...ofBackend(databaseUrl, links) } }
}

/** The program of the auth service, to run a command of it: this takes the database alone. */
export function authCommand(databaseUrl: string): Pick<ServiceSpec, 'script' | 'env'> {
  const script = fileURLToPath(import.meta.resolve('@svc/auth/main'))
  const env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: compileCache, ...process.env }
  for (const name of notInherited) delete env[name]
  return { script, env: { ...env, SVC_DB_URL: databaseUrl } }
}

export function resourceSpec(databaseUrl: string, links: ServiceLinks): ServiceSpec {
  const script = fileURLToPath(import.meta.resolve('@svc/resource/main'))
  return { name: 'resource', script, env: { ...shared(links), ...ofBackend(databaseUrl, links) } }
}

function ofBackend(databaseUrl: string, { secrets }: ServiceLinks): NodeJS.ProcessEnv {
  return { SVC_DB_URL: databaseUrl, SVC_INTERNAL_ASSERTION_KEY_FILE: secrets.assertionKeyFile }
}

/** Compiled code, kept beside what is installed: without it a start takes a sixth longer. */
const compileCache = fileURLToPath(
  new URL('../../../node_modules/.svc/compile-cache', import.meta.url),
)

/** What was meant for the launcher, which has used it, or would speak against what it decided. */
const notInherited = ['SVC_DB_URL', 'SVC_DB_URL_FILE', 'DATABASE_URL', 'PORT', 'SVC_TOKEN']

/** What the services know each other by is decided here as a whole. */
const internal = 'SVC_INTERNAL_'

function shared({ ports, secrets }: ServiceLinks): NodeJS.ProcessEnv {
  const auth = `127.0.0.1:${ports.auth}`
  const resource = `127.0.0.1:${ports.resource}`
  const env: NodeJS.ProcessEnv = {
    NODE_COMPILE_CACHE: compileCache,
    // It serves plain http, over which not every browser keeps a cookie that is for https only.
    SVC_AUTHENTICATION_SESSION_INSECURE: 'true',
    ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith(internal))),
    SVC_LOG_ENCODING: 'json',
    // There are no other replicas that callers could find meanwhile.
    SVC_SERVER_DRAIN: '0s',
    SVC_AUTH_LISTEN: auth,
    SVC_AUTH_ADDRESS: auth,
    SVC_RESOURCE_LISTEN: resource,
    SVC_RESOURCE_ADDRESS: resource,
    SVC_INTERNAL_SECRET_FILE: secrets.sharedFile,
  }
  for (const name of notInherited) delete env[name]
  return env
}
