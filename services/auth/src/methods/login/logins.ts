import type { Settings } from '@svc/config'
import type { ServiceContext } from '../../credentials/context.ts'
import { readFlowKeys } from '../../credentials/keys.store.ts'
import { type EndLogins, loginEnder } from './end.ts'
import { Flows } from './flow.ts'
import { type IssueLogin, loginIssuer } from './issue.ts'
import { ReplayGuard } from './replay-guard.ts'

/** What the interactive methods share. */
export interface Logins {
  readonly flows: Flows
  readonly issue: IssueLogin
  readonly endLogins: EndLogins
  readonly replays: ReplayGuard
}

export async function openLogins(context: ServiceContext): Promise<Logins> {
  const replays = new ReplayGuard(context.shared)
  const { session } = context.settings.authentication
  return {
    flows: new Flows({
      keys: await readFlowKeys(context.background),
      session,
      replays,
      nowMs: context.nowMs,
    }),
    issue: loginIssuer(context),
    endLogins: loginEnder(context),
    replays,
  }
}

/**
 * The URL to which the identity provider sends browsers back.
 *
 * @param address the one of the method's settings, if set
 * @throws {Error} when no setting has one, which the check of the settings rules out
 */
export function callbackUrl(
  address: string | undefined,
  { server }: Pick<Settings, 'server'>,
  path: `/auth/v1/method/${string}/callback`,
): string {
  const base = address ?? server.publicUrl
  if (base === undefined) throw new Error('neither redirect_address nor server.public_url is set')
  return base.replace(/\/$/, '') + path
}
