import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, formatInstant, type Queryable } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import { AppError, type Logger, unavailable } from '@svc/runtime'
import { insertToken } from '../../credentials/records/authentications.store.ts'
import { timeIn } from '../../credentials/records/instants.ts'
import { tokenMetadata } from '../../credentials/records/metadata.ts'
import { generateToken, hashToken, isPlausible } from '../../credentials/records/token.ts'
import { notifyListeners } from '../../credentials/revocations/revocations.store.ts'
import {
  type BootstrapState,
  markBootstrapped,
  readBootstrapState,
  tryLockBootstrap,
} from './bootstrap.store.ts'
import { isGuessable } from './guessable.ts'
import type { TokenSettings } from './settings.ts'

export type BootstrapSettings = TokenSettings['bootstrap']

const name = 'initial_bootstrap_token'
const description = 'Initial token created when bootstrapping authentication'

const forcedNone =
  `bootstrap.force made no token: ${name} is still good; ` +
  'svc-auth token create --name NAME makes another'

/** Maximum attempts at the lock: another process holds it for milliseconds, unless it was stopped. */
const maxTries = 300
const retryAfterMs = 100

/**
 * Makes the first token, once in the life of an installation, also when several processes start at
 * once. `force` makes another when the first one was deleted or has expired.
 *
 * The token is logged before it is committed. A process that dies between the two has logged a token
 * that does not exist, and the next start makes and logs another. In the other order it could leave a
 * token that was never shown.
 *
 * @returns the token, when this call made it and the settings let it be shown
 */
export async function bootstrap(
  db: Database,
  settings: BootstrapSettings,
  log: Logger,
): Promise<string | undefined> {
  checkConfigured(settings, log)
  let token: string | undefined
  for (let tries = 0; tries < maxTries; tries += 1) {
    const isSettled = await db.transaction(async (tx) => {
      if (!(await tryLockBootstrap(tx))) return false
      const state = await readBootstrapState(tx)
      if (state !== undefined && isNeeded(state, settings)) token = await create(tx, settings, log)
      else {
        if (settings.force) log.warn({ name }, forcedNone)
        if (state?.isEternal) log.warn({ name }, `${name} never expires: delete it when you can`)
      }
      return true
    })
    if (isSettled) return settings.log ? token : undefined
    await sleep(retryAfterMs)
  }
  throw unavailable('another process is making the first token and does not finish')
}

function isNeeded(state: BootstrapState, { force }: BootstrapSettings): boolean {
  return force ? !state.isValid : !state.isDone && !state.hasStaticTokens
}

async function create(
  tx: Queryable,
  settings: BootstrapSettings,
  log: Logger,
): Promise<string | undefined> {
  const token = settings.token?.reveal() ?? generateToken()
  const { expiration } = settings
  const expiresAt = expiration === undefined ? undefined : await timeIn(tx, expiration)
  const row = await insertToken(tx, {
    method: Method.METHOD_TOKEN,
    tokenHash: hashToken(token),
    metadata: { ...tokenMetadata({ name, description, namespaceKey: '' }), ...settings.metadata },
    namespaceKey: '',
    expiresAt,
  })
  if (row === undefined) {
    log.warn('bootstrap.token is the value of a token that exists already; made no other')
    return undefined
  }
  await markBootstrapped(tx, row.id)
  // Caches may have this value as unknown.
  await notifyListeners(tx)
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
