import type { Identity } from '@svc/proto/auth/v1/identities'
import type { Logger } from '@svc/runtime'
import { tokenKeys } from './metadata.ts'

interface Token {
  readonly id: string
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * Logs an operation on a token, by its id and never with the token itself.
 *
 * @param caller the holder of the credential that was used, if one was needed
 */
export function logToken(
  log: Logger,
  operation:
    | 'created a token'
    | 'gave a token another secret'
    | 'deleted a token'
    | 'made a token expire'
    | 'signed in'
    | 'ended a session',
  { id, metadata }: Token,
  caller: Identity | undefined,
  details: Readonly<Record<string, string>> = {},
): void {
  const { [tokenKeys.name]: name, [tokenKeys.namespace]: namespace } = metadata
  const by = caller?.authentication?.id ?? 'anonymous'
  log.info({ tokenId: id, name, namespace, by, ...details }, operation)
}
