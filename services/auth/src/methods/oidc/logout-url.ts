import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@svc/runtime'
import type { Provider } from './provider.ts'

/** Time limit: the session has ended by now, and its browser does not wait for a slow provider. */
const timeoutMs = 1500

/** @returns where the browser of a session signs out at its provider; empty where that is not offered */
export async function logoutUrl(
  provider: Pick<Provider, 'name' | 'endSessionUrl'> | undefined,
  idToken: string | undefined,
  log: Logger,
): Promise<string> {
  try {
    const timeout = sleep(timeoutMs, undefined, { ref: false })
    return (await Promise.race([provider?.endSessionUrl(idToken), timeout])) ?? ''
  } catch (error) {
    const name = provider?.name
    log.warn({ err: error, provider: name }, 'cannot find the URL to sign out at the provider')
    return ''
  }
}
