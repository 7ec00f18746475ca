import { type Browser, presentSession } from '../credentials/browser.ts'
import type { ServiceContext } from '../credentials/context.ts'
import { hashToken } from '../credentials/records/token.ts'
import { deleteToken } from '../credentials/revocations/revoked-tokens.store.ts'
import { findSessionId } from './sessions.store.ts'

/** Ends the present session of a browser. A static token in its place stays. */
export async function endPresentSession(
  { db, revoke }: Pick<ServiceContext, 'db' | 'revoke'>,
  browser: Browser,
): Promise<void> {
  const token = presentSession(browser)
  if (token === undefined) return
  const id = await findSessionId(db, hashToken(token))
  if (id !== undefined) await revoke((tx) => deleteToken(tx, id))
}
