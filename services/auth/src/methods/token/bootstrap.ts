import { type Database, formatInstant, type Instant, type Queryable } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import { AppError, type Logger } from '@svc/runtime'
import type { ServiceContext } from '../../credentials/context.ts'
import { insertAuthentication } from '../../credentials/records/authentications.store.ts'
import { generateToken, hashToken, isPlausible, toBytes } from '../../credentials/records/token.ts'
import {
  notifyListeners,
  recordRevocations,
} from '../../credentials/revocations/revocations.store.ts'
import { deleteExpiredSecret } from '../../credentials/revocations/revoked-tokens.store.ts'
import { systemOrigin } from '../../events/event.ts'
import { type BootstrapState, lockBootstrapState, markBootstrapped } from './bootstrap.store.ts'
import { tokenMetadata } from './new-token.ts'
import type { TokenSettings } from './settings.ts'
import { tokenCreated } from './token-created.ts'

export type BootstrapSettings = TokenSettings['bootstrap']

const name = 'initial_bootstrap_token'
const description = 'Initial token created when bootstrapping authentication'

/** The last second of the year 9999: later than any process remembers a revocation. */
const never: Instant = { seconds: 253_402_300_799, nanos: 0 }

const forcedNone =
  `bootstrap.force made no token: ${name} is still good; ` +
  'svc-auth token create --name NAME makes another'

/**
 * Makes the first token, once in the life of an installation, also when several processes start at
 * once. `force` makes another when the first one was deleted or has expired.
 *
 * The token is logged before it is committed. A process that crashes between the two has logged a token
 * that does not exist, and the next start makes and logs another. In the other order it could leave a
 * token that was never shown.
 *
 * @returns the token, when this call made it and the settings let it be shown
 */
export async function bootstrap(
  db: Database,
  settings: BootstrapSettings,
  { log, events }: Pick<ServiceContext, 'events' | 'log'>,
): Promise<string | undefined> {
  checkConfigured(settings, log)
  const token = await db.transaction(async (tx) => {
    const state = await lockBootstrapState(tx)
    if (isNeeded(state, settings)) return create(tx, settings, { log, events })
    if (settings.force) log.warn({ name }, forcedNone)
    if (state.isEternal) log.warn({ name }, `${name} never expires: delete it when you can`)
    return undefined
  })
  return settings.log ? token : undefined
}

function isNeeded(state: BootstrapState, { force }: BootstrapSettings): boolean {
  return force ? !state.isValid : !state.isDone && !state.hasStaticTokens
}

async function create(
  tx: Queryable,
  settings: BootstrapSettings,
  { log, events }: Pick<ServiceContext, 'events' | 'log'>,
): Promise<string | undefined> {
  const token = settings.token?.reveal() ?? generateToken()
  const tokenHash = hashToken(token)
  const hasExpired = await deleteExpiredSecret(tx, tokenHash)
  const row = await insertAuthentication(tx, {
    method: Method.METHOD_TOKEN,
    tokenHash,
    metadata: { ...tokenMetadata({ name, description, namespaceKey: '' }), ...settings.metadata },
    lifetimeMs: settings.expiration,
  })
  if (row === undefined) {
    log.warn('bootstrap.token is the value of a token that exists already; made no other')
    return undefined
  }
  await markBootstrapped(tx, row.id)
  // Caches may have this value as unknown.
  await notifyListeners(tx)
  // Or as expired. With a revocation they ask the database; it refuses the value when the new token ends.
  const validUntil = row.expiresAt ?? never
  if (hasExpired) await recordRevocations(tx, [{ tokenHashes: [toBytes(tokenHash)], validUntil }])
  await events.append(tx, [tokenCreated(row, systemOrigin, { reason: 'bootstrap' })])
  const expires = row.expiresAt === null ? 'never' : formatInstant(row.expiresAt)
  const shown = settings.log ? { client_token: token } : {}
  log.warn(
    { name, ...shown, expires },
    'created bootstrap token; delete it after creating your own',
  )
  return token
}

/** @throws {AppError} when the configured token would be refused because it is mistyped */
function checkConfigured({ token }: BootstrapSettings, log: Logger): void {
  if (token === undefined) return
  if (!isPlausible(token.reveal())) {
    const message =
      'authentication.methods.token.bootstrap.token looks like an issued token (svc_…), but its ' +
      'last six characters do not fit: it is mistyped'
    throw new AppError('failed_precondition', 'bootstrap_token_mistyped', message)
  }
  if (isGuessable(token.reveal())) {
    log.warn('bootstrap.token is weak: better take 32 or more random characters')
  }
}

/**
 * Whether a secret that a person chose is likely weaker than 128 random bits: an estimate for a warning.
 * Random text of this length repeats itself; text with few different characters is not random.
 */
export function isGuessable(secret: string): boolean {
  const alphabet = /^[0-9a-f]*$/.test(secret) ? 16 : 94
  const plausible = Math.min(alphabet, 2 * new Set(secret).size)
  return secret.length * Math.log2(Math.max(plausible, 1)) < 128
}
