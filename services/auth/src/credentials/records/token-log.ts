import type { Identity } from '@svc/proto/auth/v1/identities'
import type { Logger } from '@svc/runtime'
import { tokenKeys } from './metadata.ts'

interface Token {
  readonly id: string
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * Logs what was done to a token, by its id and never with the token itself.
 *
 * @param caller whose credential it was done with; nobody's when none was needed
 */
export function logToken(
  log: Logger,
  deed:
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
  log.info({ tokenId: id, name, namespace, by, ...details }, deed)
}
