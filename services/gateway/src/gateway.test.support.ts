import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadSettings, sharedSettings } from '@svc/config'
import { Authentication, AuthenticationServiceDefinition } from '@svc/proto/auth/v1/authentications'
import { type Identity, IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import { type CallContext, RpcServer, unprotected } from '@svc/rpc'
import { AppError, type Logger } from '@svc/runtime'
import { pino } from 'pino'
import { startGateway } from './gateway.ts'

interface Test {
  teardown(work: () => Promise<void>): void
}

const silent = pino({ level: 'silent' })

/** What auth is asked to do by a method that it serves, besides what the message says. */
type Act = (context: CallContext) => void | Promise<void>

const recorded = [
  'authorization',
  'cookie',
  'svc-accepts',
  'svc-client-address',
  'svc-cookies',
  'svc-credential',
  'svc-request-id',
  'svc-session',
  'x-forwarded-for',
]

/**
 * A gateway before something that speaks auth's protocol: its tokens begin with `good`, those that
 * begin with `away` cannot be looked up at the moment, and the rest is in the test's hand.
 */
export async function startBefore(
  t: Test,
  env: Readonly<Record<string, string>> = {},
  log: Logger = silent,
) {
  const auth = {
    /** Tokens that were asked about. */
    asked: [] as string[],
    /** The metadata of the call before. */
    metadata: {} as Record<string, string>,
    act: (() => {}) as Act,
    identify: (token: string): Partial<Identity> => ({ name: token }),
  }
  const handle = async (context: CallContext) => {
    auth.metadata = Object.fromEntries(
      recorded.flatMap((name) => {
        const value = context.get(name)
        return value === undefined ? [] : [[name, value]]
      }),
    )
    await auth.act(context)
  }
  const unused = async (): Promise<never> => {
    throw new AppError('unimplemented', 'unused', 'not used by tests')
  }
  const server = new RpcServer({ log: silent, protection: unprotected })
    .add(IdentityServiceDefinition, {
      async authenticate({ clientToken }) {
        auth.asked.push(clientToken)
        if (clientToken.startsWith('away')) throw new AppError('unavailable', 'unavailable', 'away')
        if (!clientToken.startsWith('good')) {
          throw new AppError('unauthenticated', 'unknown', 'request was not authenticated')
        }
        return identityOf(clientToken, auth.identify(clientToken))
      },
      authenticateTicket: unused,
      reportUses: async () => ({}),
      async *watchRevocations(_request, { signal }) {
        while (!signal.aborted) {
          yield { tokenHashes: [] }
          await sleep(200, undefined, { signal }).catch(() => {})
        }
      },
    })
    .add(MethodServiceDefinition, {
      async listMethods(_request, context) {
        await handle(context)
        return { methods: [] }
      },
    })
    .add(AuthenticationServiceDefinition, {
      listAuthentications: unused,
      getAuthentication: unused,
      deleteAuthentication: unused,
      async getSelf(_request, context) {
        await handle(context)
        return Authentication.fromPartial({ id: 'me' })
      },
      async expireSelf(_request, context) {
        await handle(context)
        return {}
      },
    })
  const port = await server.listen('127.0.0.1:0')
  const { settings } = loadSettings(sharedSettings, {
    env: {
      SVC_SERVER_HOST: '127.0.0.1',
      SVC_SERVER_HTTP_PORT: '0',
      SVC_AUTH_ADDRESS: `127.0.0.1:${port}`,
      SVC_RESOURCE_ADDRESS: '127.0.0.1:1',
      SVC_INTERNAL_INSECURE: 'true',
      ...env,
    },
    systemFiles: [],
  })
  const gateway = await startGateway({ settings, log })
  t.teardown(async () => {
    await gateway.close()
    await server.close()
  })
  return { auth, port: gateway.port, url: `http://127.0.0.1:${gateway.port}` }
}

function identityOf(token: string, facts: Partial<Identity>): Identity {
  return {
    authentication: Authentication.fromPartial({ id: token }),
    namespaceKey: '',
    name: token,
    principal: token,
    tokenHash: createHash('sha256').update(token).digest(),
    expiresInMs: undefined,
    isSession: false,
    ...facts,
  }
}
