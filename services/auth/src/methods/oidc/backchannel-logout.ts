import { invalidArgument } from '@svc/runtime'
import type { ServiceContext } from '../../credentials/context.ts'
import { deleteToken } from '../../credentials/revocations/revoked-tokens.store.ts'
import { systemOrigin } from '../../events/event.ts'
import { findLogins } from '../login/logins.store.ts'
import type { ReplayGuard } from '../login/replay-guard.ts'
import { readLogoutToken } from './logout-token.ts'
import type { Provider } from './provider.ts'

/**
 * Lifetime of a claim until its work is done, in milliseconds: longer than that usually takes, and harmless when it
 * does not, for the work may be done twice. After it, the provider may repeat a token whose process was killed.
 */
const workingMs = 10_000

/** The parts of a provider that its logout tokens are checked with. */
type LogoutProvider = Pick<Provider, 'issuer' | 'name' | 'settings'>

/**
 * @returns what ends the logins that a logout token names (OpenID Connect Back-Channel Logout 1.0), given
 *   the JWK set of the provider. It throws {AppError} `invalid_argument` for a token that is not valid or
 *   has been used; `unavailable` without the database, and then the token may be repeated
 */
export function backchannelLogout(
  { db, log, nowMs, revoke }: Pick<ServiceContext, 'db' | 'log' | 'nowMs' | 'revoke'>,
  replays: ReplayGuard,
) {
  const endLogins = async (name: string, ids: readonly string[]) => {
    const details = { reason: 'logout_at_provider', provider: `oidc/${name}` }
    const cause = { type: 'session.ended', by: systemOrigin, details } as const
    for (const id of ids) await revoke((tx) => deleteToken(tx, id), cause)
    return ids.length
  }
  return async (
    { issuer, name, settings }: LogoutProvider,
    keys: unknown,
    logoutToken: string,
  ): Promise<void> => {
    const logout = await readLogoutToken(logoutToken, keys, settings, nowMs())
    if (logout === undefined) throw invalidArgument('the logout token is not valid')
    const value = `oidc/${name} ${logout.tokenId}`
    if (!(await replays.claim('logout', value, Math.min(workingMs, logout.lifetimeMs)))) {
      throw invalidArgument('the logout token has been used')
    }
    try {
      const count = await endLogins(name, await findLogins(db, issuer, logout))
      log.info({ provider: name, count }, 'ended logins at the request of the provider')
    } catch (error) {
      // The provider may repeat the token. One whose work was done stays claimed.
      await replays.release('logout', value)
      throw error
    }
    await replays.extend('logout', value, logout.lifetimeMs)
  }
}
