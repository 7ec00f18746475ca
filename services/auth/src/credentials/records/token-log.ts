import type { Logger } from '@svc/runtime'
import type { AuthenticationRow, Holder } from './authentications.store.ts'
import { tokenKeys } from './token.ts'

/**
 * Logs an operation on a token, by its id and never with the token itself.
 *
 * @param operation for example `created a token`
 * @param caller the holder of the credential that was used, if one was needed
 */
export function logToken(
  log: Logger,
  operation: string,
  { id, metadata }: Pick<AuthenticationRow, 'id' | 'metadata'>,
  caller: Holder | undefined,
  details: Readonly<Record<string, string>> = {},
): void {
  const { [tokenKeys.name]: name, [tokenKeys.namespace]: namespace } = metadata
  const by = caller?.authentication.id ?? 'anonymous'
  log.info({ tokenId: id, name, namespace, by, ...details }, operation)
}
