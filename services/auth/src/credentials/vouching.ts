import { assertCaller } from '@svc/access'
import type { Settings } from '@svc/config'
import type { Identity } from '@svc/proto/auth/v1/identities'

/** Adds to an identity what the resource service believes. */
export type Vouch = (identity: Identity) => Identity

/**
 * @param keys the first is used; with none the services believe each other as they are
 * @param nowMs by a clock that the resource service has, too
 */
export function vouchWith([key]: readonly string[], nowMs: () => number): Vouch {
  if (key === undefined) return (identity) => identity
  return (identity) => {
    const { authentication, name, namespaceKey } = identity
    const caller = {
      tokenId: authentication?.id ?? '',
      method: authentication?.method ?? 'anonymous',
      name,
      namespaceKey: namespaceKey === '' ? null : namespaceKey,
    }
    return { ...identity, assertion: assertCaller(caller, key, nowMs()) }
  }
}

/** Who calls without a credential, where management needs none. */
export const anonymous: Identity = {
  namespaceKey: '',
  name: '',
  tokenHash: Buffer.of(),
  isSession: false,
}

/** Whether management needs no credential. */
export function isOpenToAll({ required, exclude }: Settings['authentication']): boolean {
  return !required || exclude.management
}
