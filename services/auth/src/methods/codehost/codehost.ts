import type { Database } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { CodehostServiceDefinition } from '@svc/proto/auth/v1/codehost'
import type { Handlers } from '@svc/rpc'
import { AppError, type Logger, type Running } from '@svc/runtime'
import type { Admits, Authenticate } from '../../credentials/lookup/authenticate.ts'
import type { Identities } from '../../credentials/lookup/identities.ts'
import { deleteToken } from '../../credentials/revocations/ended-tokens.store.ts'
import { revoke } from '../../credentials/revocations/revoke.ts'
import { type Fetch, openOutbound } from '../../outbound/outbound.ts'
import { callbackUrl, type Logins } from '../login/logins.ts'
import type { AuthSettings } from '../settings.ts'
import { admittedBy, isRestricted } from './access.ts'
import { readMemberships } from './api.ts'
import { codehostHandlers } from './codehost.rpc.ts'
import { MembershipChecks } from './membership-checks.ts'
import type { CodehostSettings } from './settings.ts'

/** Who logged in there may not come in any more when people cannot log in there any more. */
export function codehostAdmission({ enabled }: Pick<CodehostSettings, 'enabled'>): Admits {
  return ({ method }) => enabled || method !== Method.METHOD_CODEHOST
}

/** All that is asked of the code host for one check. */
const checkTimeoutMs = 8000

export interface CodehostParts {
  readonly db: Database
  /** For checks, so that they wait for no request and no request for them. */
  readonly background: Database
  readonly identities: Pick<Identities, 'revocations' | 'shared'>
  readonly logins: Logins
  readonly settings: AuthSettings
  readonly log: Logger
}

export interface Codehost extends Running {
  readonly handlers: Handlers<CodehostServiceDefinition>
  /** The same, but that memberships are looked at of those who turn out to have logged in here. */
  noteUses(authenticate: Authenticate): Authenticate
}

/** Logins at the code host, and what becomes of them. */
export function openCodehost(parts: CodehostParts): Codehost {
  const { db, background, identities, logins, log } = parts
  const settings = parts.settings.authentication.methods.codehost
  const fetch = openOutbound(settings)
  const oauth = {
    issuer: `${settings.serverUrl.replace(/\/$/, '')}/login/oauth`,
    clientId: settings.clientId ?? '',
    clientSecret: settings.clientSecret?.reveal() ?? '',
    scopes: settings.scopes,
    redirectUri: callbackUrl(
      settings.redirectAddress,
      parts.settings,
      '/auth/v1/method/codehost/callback',
    ),
    fetch,
    log,
  }
  const checks = new MembershipChecks({
    db: background,
    intervalMs: settings.recheckInterval,
    isStillAdmitted: (accessToken) => isStillAdmitted(settings, fetch, accessToken),
    async end(authenticationId) {
      const ended = await revoke({ db, ...identities }, (tx) => deleteToken(tx, authenticationId))
      return ended.length > 0
    },
    log,
  })
  const isWatched = isRestricted(settings)
  return {
    handlers: codehostHandlers({ settings, oauth, fetch, ...logins, log }),
    noteUses: (authenticate) => async (clientToken) => {
      const identity = await authenticate(clientToken)
      const { id, method } = identity.authentication ?? {}
      if (isWatched && id && method === Method.METHOD_CODEHOST) checks.noteUse(id, clientToken)
      return identity
    },
    close: () => checks.close(),
  }
}

/** An access token that is not accepted any more was taken back, there or by its owner. */
async function isStillAdmitted(
  settings: CodehostSettings,
  fetch: Fetch,
  accessToken: string,
): Promise<boolean> {
  const signal = AbortSignal.timeout(checkTimeoutMs)
  try {
    const api = { apiUrl: settings.apiUrl, accessToken, fetch, signal }
    return admittedBy(settings, await readMemberships(api)) !== undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return false
    throw error
  }
}
