import { Method } from '@svc/proto/auth/v1/authentications'
import { CodehostServiceDefinition } from '@svc/proto/auth/v1/codehost'
import { AppError } from '@svc/runtime'
import type { ServiceContext } from '../../credentials/context.ts'
import { deleteToken } from '../../credentials/revocations/revoked-tokens.store.ts'
import { type Fetch, openOutbound } from '../../outbound/outbound.ts'
import { callbackUrl, openLogins } from '../login/logins.ts'
import type { AuthMethod } from '../method.ts'
import { admittedBy, isRestricted } from './access.ts'
import { readMemberships } from './api.ts'
import { codehostHandlers } from './codehost.rpc.ts'
import { MembershipChecks } from './membership-checks.ts'
import type { OauthClient } from './oauth.ts'
import { type CodehostSettings, codehostSection } from './settings.ts'

/** Logins at a code host, and the checks of their memberships. */
export const codehostMethod: AuthMethod<'codehost', CodehostSettings> = {
  id: Method.METHOD_CODEHOST,
  section: 'codehost',
  settings: codehostSection,
  isInteractive: true,
  describe: () => ({
    authorize_url: '/auth/v1/method/codehost/authorize',
    callback_url: '/auth/v1/method/codehost/callback',
  }),

  async open(settings, context) {
    const fetch = openOutbound(settings)
    const oauth = oauthClient(settings, context, fetch)
    const logins = await openLogins(context)
    const checks = membershipChecks(settings, context, fetch)
    return {
      serve: (server) =>
        server.add(
          CodehostServiceDefinition,
          codehostHandlers({ settings, oauth, logins, log: context.log }),
        ),
      ...(isRestricted(settings) && {
        onUse: (id: string, clientToken: string) => checks.noteUse(id, clientToken),
      }),
      close: () => checks.close(),
    }
  },
}

function oauthClient(
  section: CodehostSettings,
  { settings, log }: ServiceContext,
  fetch: Fetch,
): OauthClient {
  const path = '/auth/v1/method/codehost/callback'
  return {
    issuer: `${section.serverUrl.replace(/\/$/, '')}/login/oauth`,
    clientId: section.clientId ?? '',
    clientSecret: section.clientSecret?.reveal() ?? '',
    scopes: section.scopes,
    redirectUri: callbackUrl(section.redirectAddress, settings, path),
    fetch,
    log,
  }
}

function membershipChecks(
  settings: CodehostSettings,
  context: ServiceContext,
  fetch: Fetch,
): MembershipChecks {
  return new MembershipChecks({
    db: context.background,
    intervalMs: settings.recheckInterval,
    isStillAdmitted: (accessToken) => isStillAdmitted(settings, fetch, accessToken),
    async end(authenticationId) {
      const ended = await context.revoke((tx) => deleteToken(tx, authenticationId))
      return ended.length > 0
    },
    log: context.log,
  })
}

/** Time limit of all calls to the code host for one check. */
const checkTimeoutMs = 8000

/** An access token that is no longer accepted was revoked, by the code host or by its owner. */
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
