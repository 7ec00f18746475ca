import { networkOf } from '@svc/access'
import { addressOf, type Call } from '../credentials/callers.ts'
import type { ServiceContext } from '../credentials/context.ts'
import { refusalOf } from '../credentials/records/refusals.ts'
import type { Actor } from '../events/event.ts'

/** Where a login was refused, and whose it is as far as that is known. */
interface RefusedLogin {
  /** For example `oidc/main`. */
  readonly provider: string
  readonly actor?: Actor | undefined
}

/** Counts a login that was refused for who asked. Errors of any other kind are none. */
export function noteRefusedLogin(
  { counts, events }: Pick<ServiceContext, 'counts' | 'events'>,
  { provider, actor }: RefusedLogin,
  error: unknown,
  call: Call,
): void {
  counts.noteFailure(provider, error)
  const reason = refusalOf(error)
  if (reason === undefined) return
  const address = addressOf(call)
  events.count({
    type: 'login.refused',
    actor,
    address: actor === undefined ? networkOf(address) : address,
    details: { provider, reason },
  })
}
