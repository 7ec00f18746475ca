import { parseDuration } from '@svc/config'
import { type Instant, openDatabase, parseInstant } from '@svc/database'
import type { ProcessCommand, ProcessContext } from '@svc/process'
import { Method } from '@svc/proto/auth/v1/authentications'
import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import { AppError, invalidArgument } from '@svc/runtime'
import { insertToken } from '../../credentials/records/authentications.store.ts'
import { timeIn } from '../../credentials/records/instants.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { logToken } from '../../credentials/records/token-log.ts'
import { databaseUrl, upToDate } from '../../schema.ts'
import { type NewToken, parseNewToken } from './new-token.ts'

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
  /** In milliseconds from its creation, instead of `expiresAt`. */
  readonly lifetimeMs: number | undefined
}

/** @throws {AppError} `invalid_argument` */
export function readTokenOptions(values: OptionValues): TokenOptions {
  if (values.name === undefined) throw invalidArgument('--name is missing')
  const [name = '', description = '', namespaceKey = '', expires] = [
    values.name,
    values.description,
    values.namespace,
    values.expires,
  ].map((value) => (typeof value === 'string' ? value : undefined))
  const allowedAddresses = [values['allowed-address'] ?? []].flat().map(String)
  const { at: expiresAt, inMs: lifetimeMs } = readExpiry(expires)
  const request = { name, description, namespaceKey, expiresAt, allowedAddresses }
  return { ...parseNewToken(CreateTokenRequest.fromPartial(request)), lifetimeMs }
}

function readExpiry(text: string | undefined): { at?: Instant; inMs?: number } {
  if (text === undefined) return {}
  const inMs = parseDuration(text)
  if (inMs !== undefined && inMs > 0) return { inMs }
  try {
    const at = parseInstant(text)
    if (at.seconds > Date.now() / 1000) return { at }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw invalidArgument(
    '--expires must be a time to come such as 2030-01-01T00:00:00Z, or a duration such as 720h',
  )
}

/**
 * Makes a token as the API does, without a credential.
 *
 * @returns the token, which is stored nowhere
 */
export async function createToken(
  { lifetimeMs, ...newToken }: TokenOptions,
  { settings, log }: ProcessContext,
): Promise<string> {
  if (!settings.authentication.methods.token.enabled) {
    const message = 'authentication.methods.token.enabled is false: static tokens cannot be made'
    throw new AppError('failed_precondition', 'method_disabled', message)
  }
  await upToDate(settings, { log, timeoutMs: migrationsLimitMs })
  const db = openDatabase(databaseUrl(settings), { name: 'auth command', maxConnections: 1, log })
  try {
    const token = generateToken()
    const row = await insertToken(db, {
      ...newToken,
      expiresAt: lifetimeMs === undefined ? newToken.expiresAt : await timeIn(db, lifetimeMs),
      method: Method.METHOD_TOKEN,
      tokenHash: hashToken(token),
    })
    if (row === undefined) throw new Error('a random token exists already')
    logToken(log, 'created a token', row, undefined, { by: 'command line' })
    return token
  } finally {
    await db.close()
  }
}

/** Time limit of the wait for migrations: a person waits for the command. */
const migrationsLimitMs = 5000
