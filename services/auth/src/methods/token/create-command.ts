import { chainKeysOf } from '@svc/audit'
import { databaseUrl, parseDuration } from '@svc/config'
import { type Instant, openDatabase, parseInstant } from '@svc/database'
import type { ProcessCommand, ProcessContext } from '@svc/process'
import { Method } from '@svc/proto/auth/v1/authentications'
import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import { AppError, invalidArgument } from '@svc/runtime'
import { insertAuthentication } from '../../credentials/records/authentications.store.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { logToken } from '../../credentials/records/token-log.ts'
import { systemOrigin } from '../../events/event.ts'
import { EventLog } from '../../events/event-log.ts'
import { upToDate } from '../../schema.ts'
import { type NewToken, parseNewToken } from './new-token.ts'
import { tokenCreated } from './token-created.ts'

/** Recovers access when every token is lost: it needs the database and no credential. */
export const tokenCreateCommand: ProcessCommand = {
  about: 'makes a token and prints it; the service need not run',
  usage:
    '--name NAME [--description TEXT] [--namespace KEY] [--expires TIME|DURATION]' +
    ' [--allowed-address RANGE]...',
  options: {
    name: { type: 'string' },
    description: { type: 'string' },
    namespace: { type: 'string' },
    expires: { type: 'string' },
    'allowed-address': { type: 'string', multiple: true },
  },
  writesResult: true,
  prepare: (values) => {
    const options = readTokenOptions(values)
    return async (context) => {
      const token = await createToken(options, context)
      await new Promise((resolve) => process.stdout.write(`${token}\n`, resolve))
      return undefined
    }
  },
}

type OptionValues = Parameters<ProcessCommand['prepare']>[0]

interface TokenOptions extends NewToken {
  /** Instead of `expiresAt`. */
  readonly lifetimeMs: number | undefined
}

/** @throws {AppError} `invalid_argument` */
export function readTokenOptions(values: OptionValues): TokenOptions {
  const { name, description, namespace, expires, 'allowed-address': addresses } = values
  if (name === undefined) throw invalidArgument('--name is missing')
  const { expiresAt, lifetimeMs } = expires === undefined ? {} : readExpiry(String(expires))
  const request = CreateTokenRequest.fromPartial({
    name: String(name),
    description: String(description ?? ''),
    namespaceKey: String(namespace ?? ''),
    expiresAt,
    allowedAddresses: [addresses ?? []].flat().map(String),
  })
  return { ...parseNewToken(request), lifetimeMs }
}

function readExpiry(text: string): { expiresAt?: Instant; lifetimeMs?: number } {
  const lifetimeMs = parseDuration(text)
  if (lifetimeMs !== undefined && lifetimeMs > 0) return { lifetimeMs }
  try {
    const expiresAt = parseInstant(text)
    if (expiresAt.seconds > Date.now() / 1000) return { expiresAt }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw invalidArgument(
    '--expires must be a time to come such as 2030-01-01T00:00:00Z, or a duration such as 720h',
  )
}

/** Time limit of the wait for migrations: a person waits for the command. */
const migrationsLimitMs = 5000

/**
 * Makes a token as the API does, without a credential.
 *
 * @returns the token, which is stored nowhere
 */
export async function createToken(
  newToken: TokenOptions,
  context: ProcessContext,
): Promise<string> {
  const { settings, log } = context
  if (!settings.authentication.methods.token.enabled) {
    const message = 'authentication.methods.token.enabled is false: static tokens cannot be made'
    throw new AppError('failed_precondition', 'method_disabled', message)
  }
  await upToDate(context, migrationsLimitMs)
  const db = openDatabase(databaseUrl(settings), { name: 'auth command', maxConnections: 1, log })
  try {
    const token = generateToken()
    const method = Method.METHOD_TOKEN
    const tokenHash = hashToken(token)
    const events = new EventLog(chainKeysOf(settings.changes))
    const row = await db.transaction(async (tx) => {
      const made = await insertAuthentication(tx, { ...newToken, method, tokenHash })
      if (made === undefined) throw new Error('a random token exists already')
      await events.append(tx, [tokenCreated(made, systemOrigin, { reason: 'command' })])
      return made
    })
    logToken(log, 'created a token', row, undefined, { by: 'command line' })
    return token
  } finally {
    await db.close()
  }
}
