import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '@svc/proto/auth/v1/sessions'
import type { Logger } from '@svc/runtime'

/**
 * Where a browser logs out at a provider as well, if the provider has such a place.
 *
 * @param idToken by which the provider knows who logs out, and need not ask whether they mean it
 */
export type EndSessionUrl = (provider: string, idToken?: string) => Promise<string | undefined>

/** Whoever signs out is signed out here by now, and need not wait for a provider that is away. */
const patienceMs = 1500

/** @returns where to sign out at the provider of a session; empty where that is not offered */
export async function logoutUrlOf(
  { authentication }: Pick<Session, 'authentication'>,
  endSessionUrl: EndSessionUrl,
  log: Logger,
  idToken?: string,
): Promise<string> {
  const provider = authentication?.metadata['io.svc.auth.oidc.provider']
  if (authentication?.method !== 'METHOD_OIDC' || provider === undefined) return ''
  try {
    const waiting = sleep(patienceMs, undefined, { ref: false })
    return (await Promise.race([endSessionUrl(provider, idToken), waiting])) ?? ''
  } catch (error) {
    log.warn({ err: error, provider }, 'cannot tell where to sign out at the provider')
    return ''
  }
}
