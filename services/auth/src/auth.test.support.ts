import { ChainKeys } from '@svc/audit'
import { loadSettings } from '@svc/config'
import { openTestDatabase, type TestDatabase } from '@svc/database/testing'
import { AuthenticationServiceDefinition } from '@svc/proto/auth/v1/authentications'
import { CliServiceDefinition } from '@svc/proto/auth/v1/cli'
import { EventServiceDefinition } from '@svc/proto/auth/v1/events'
import { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import { SessionServiceDefinition } from '@svc/proto/auth/v1/sessions'
import { CreateTokenRequest, TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import { protectionOf, RpcChannel, type RpcClient } from '@svc/rpc'
import { pino } from 'pino'
import type { Test } from 'tap'
import { startAuth } from './auth.ts'
import { generateToken, hashToken } from './credentials/records/token.ts'
import { systemOrigin } from './events/event.ts'
import { EventLog } from './events/event-log.ts'
import { insertLogin, type NewLogin } from './methods/login/logins.store.ts'
import { type AuthSettings, authSettings } from './methods/methods.ts'
import { migrations, schema } from './schema.ts'

export const silent = pino({ level: 'silent' })

/** A logger, and the lines that it has written. */
export function openLog() {
  const lines: Record<string, unknown>[] = []
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  return { log, lines }
}

/** A log of events whose chain has no key. */
export const testEvents = new EventLog(new ChainKeys())

/** Why a test deletes a token. */
export const deletion = { type: 'token.deleted', by: systemOrigin } as const

export function openAuthDatabase(t: Test): Promise<TestDatabase> {
  return openTestDatabase(t, { [schema]: migrations })
}

/** The secrets that this service shares with its callers, as an operator sets them. */
export const internalEnv = {
  SVC_INTERNAL_SECRET: 'what-all-services-of-a-test-share-0001',
  SVC_INTERNAL_ASSERTION_KEY: 'what-auth-and-resource-share-alone-0002',
}

/** @param env variables as an operator sets them */
export function settingsFor(url: string, env: Record<string, string> = {}): AuthSettings {
  const all = { SVC_DB_URL: url, SVC_AUTH_LISTEN: '127.0.0.1:0', ...internalEnv, ...env }
  return loadSettings(authSettings, { env: all, systemFiles: [] }).settings
}

/** The first token of services that {@link openAuth} starts by default. */
export const firstToken = 'the-first-token-of-this-test'

/** The refusal of every bad credential. */
export const unauthenticated = {
  code: 'unauthenticated',
  reason: 'unauthenticated',
  message: 'request was not authenticated',
}

/** A time by this machine's clock, in whole seconds. */
export const inSeconds = (seconds: number) => ({
  seconds: Math.floor(Date.now() / 1000) + seconds,
  nanos: 0,
})

/** Whether a credential is valid. Rejects when it cannot be decided. */
export const isAccepted = (authenticating: Promise<unknown>): Promise<boolean> =>
  authenticating.then(
    () => true,
    (error) => {
      if (error.code !== 'unauthenticated') throw error
      return false
    },
  )

/** Adds a login of ada at an identity provider by default. */
export async function addLogin(db: TestDatabase, login: Partial<NewLogin> = {}) {
  const clientToken = generateToken()
  const { id } = await insertLogin(db, {
    method: 'METHOD_OIDC',
    metadata: {},
    issuer: 'https://idp.example',
    subject: 'ada',
    tokenHash: hashToken(clientToken),
    lifetimeMs: 3_600_000,
    idleTimeoutMs: undefined,
    ...login,
  })
  return { clientToken, id }
}

/** Metadata with which a call presents a token. */
export const as = (clientToken: string) => ({
  metadata: { authorization: `Bearer ${clientToken}` },
})

export interface TestAuth {
  readonly db: TestDatabase
  readonly lines: readonly Record<string, unknown>[]
  readonly tokens: RpcClient<typeof TokenServiceDefinition>
  readonly authentications: RpcClient<typeof AuthenticationServiceDefinition>
  readonly identities: RpcClient<typeof IdentityServiceDefinition>
  readonly methods: RpcClient<typeof MethodServiceDefinition>
  readonly sessions: RpcClient<typeof SessionServiceDefinition>
  readonly events: RpcClient<typeof EventServiceDefinition>
  readonly cli: RpcClient<typeof CliServiceDefinition>
  readonly channel: RpcChannel
  accepts(clientToken: string): Promise<boolean>
  /** Creates a token as the holder of the first one. */
  create(request: Partial<CreateTokenRequest>): Promise<{ clientToken: string; id: string }>
  close(): Promise<void>
}

/** The whole service on a real port, with a client. */
export async function openAuth(
  t: Test,
  env: Record<string, string> = {},
  database?: TestDatabase,
): Promise<TestAuth> {
  const db = database ?? (await openAuthDatabase(t))
  const { log, lines } = openLog()
  const bootstrap = { SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: firstToken }
  const settings = settingsFor(db.url, { ...bootstrap, ...env })
  const service = await startAuth({ settings, log })
  const channel = new RpcChannel(`127.0.0.1:${service.port}`, {
    name: 'the auth service',
    protection: protectionOf(settings),
  })
  const tokens = channel.client(TokenServiceDefinition)
  const identities = channel.client(IdentityServiceDefinition)
  const close = async () => {
    channel.close()
    await service.close()
  }
  t.teardown(close)
  return {
    db,
    lines,
    tokens,
    authentications: channel.client(AuthenticationServiceDefinition),
    identities,
    accepts: (clientToken) => isAccepted(identities.authenticate({ clientToken })),
    methods: channel.client(MethodServiceDefinition),
    sessions: channel.client(SessionServiceDefinition),
    events: channel.client(EventServiceDefinition),
    cli: channel.client(CliServiceDefinition),
    channel,
    async create(request) {
      const wanted = CreateTokenRequest.fromPartial({ name: 'a token', ...request })
      const created = await tokens.createToken(wanted, as(firstToken))
      return { clientToken: created.clientToken, id: created.authentication?.id ?? '' }
    },
    close,
  }
}
