import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@svc/runtime'
import type { SigningOut } from '../../credentials/lookup/method-hooks.ts'

/** Finds where a browser signs out at a provider. */
export type EndSessionUrl = (provider: string) => Promise<string | undefined>

/** Time limit: the session has ended by now, and its browser does not wait for a slow provider. */
const timeoutMs = 1500

/** @returns where the browser of a session signs out at its provider; empty where that is not offered */
export async function logoutUrl(
  { metadata }: Pick<SigningOut, 'metadata'>,
  endSessionUrl: EndSessionUrl,
  log: Logger,
): Promise<string> {
  const provider = metadata['io.svc.auth.oidc.provider']
  if (provider === undefined) return ''
  try {
    const timeout = sleep(timeoutMs, undefined, { ref: false })
    return (await Promise.race([endSessionUrl(provider), timeout])) ?? ''
  } catch (error) {
    log.warn({ err: error, provider }, 'cannot find the URL to sign out at the provider')
    return ''
  }
}
