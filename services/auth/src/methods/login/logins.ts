import type { Settings } from '@svc/config'
import type { Database } from '@svc/database'
import type { Logger } from '@svc/runtime'
import type { Identities } from '../../credentials/lookup/identities.ts'
import { readFlowKeys } from '../../credentials/lookup/keys.store.ts'
import { type EndLogins, loginEnder } from './end.ts'
import { Flows } from './flow.ts'
import { type IssueLogin, loginIssuer } from './issue.ts'
import { Once } from './once.ts'

export interface LoginsParts {
  /** For requests. */
  readonly db: Database
  /** For the start, which may wait for it longer than requests do. */
  readonly background: Database
  readonly identities: Pick<Identities, 'nowMs' | 'revocations' | 'shared'>
  readonly session: Settings['authentication']['session']
  readonly log: Logger
}

/** What the methods have in common by which people log in with a browser. */
export interface Logins {
  readonly flows: Flows
  readonly issue: IssueLogin
  readonly endLogins: EndLogins
  readonly once: Once
  /** By the clock of the database, in milliseconds since 1970. */
  readonly nowMs: () => number
}

export async function openLogins(parts: LoginsParts): Promise<Logins> {
  const { db, background, identities, session, log } = parts
  const { nowMs, revocations, shared } = identities
  const once = new Once(shared)
  const keys = await readFlowKeys(background)
  const revocation = { db, shared, revocations }
  return {
    flows: new Flows({ keys, session, once, nowMs }),
    issue: loginIssuer({ revocation, session, log }),
    endLogins: loginEnder(revocation),
    once,
    nowMs,
  }
}

/**
 * Where the far side sends browsers back to.
 *
 * @param address what the settings of a method say about it, if anything
 * @throws {Error} when nothing does, which the check of the settings rules out
 */
export function callbackUrl(
  address: string | undefined,
  { server }: Pick<Settings, 'server'>,
  path: `/auth/v1/method/${string}/callback`,
): string {
  const base = address ?? server.publicUrl
  if (base === undefined) throw new Error('nobody knows where browsers reach this service')
  return base.replace(/\/$/, '') + path
}
