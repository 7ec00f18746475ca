import { fixedToken } from './credential.ts'
import { Http } from './http.ts'
import { invalid, readCredential, readOptions } from './options.ts'
import { connectRemote } from './remote.ts'
import type { Logger, RemoteFlags, RemoteOptions } from './types.ts'

export { SvcError } from './api/error.ts'
export type * from './types.ts'

/** The options of a page: the mode goes without saying. */
export interface BrowserOptions extends Omit<RemoteOptions, 'mode'> {
  readonly mode?: 'remote' | undefined
}

let hasWarned = false

/**
 * Connects to the flags of a namespace, which the server evaluates for one subject. Resolves when the answers
 * are here.
 *
 * ```ts
 * const flags = await connect({ url: 'https://flags.example.com', subject: { entityId: 'user-42' } })
 * flags.boolean('checkout', undefined, false)
 * ```
 *
 * @throws {SvcError} code 3 for options that make no sense; 14, 16, 7 or 5 when no flags can be had, unless
 *   `required` is false: the server cannot be reached, the credential or the URL is wrong
 */
export async function connect(options: BrowserOptions): Promise<RemoteFlags> {
  const { mode = 'remote' } = options ?? {}
  if (mode !== 'remote') throw invalid('in browsers `mode` can only be remote')
  const common = readOptions({ ...options, mode }, mode)
  const { url, fetch, logger } = common
  const { token, tokenFile, serviceAccount } = readCredential(options.credential)
  if (tokenFile !== undefined || serviceAccount !== undefined) {
    throw invalid('in browsers `credential` can only be a token')
  }
  if (token !== undefined) warnOfToken(logger)
  const tokens = fixedToken(token)
  return await connectRemote({ ...common, tokens, http: new Http({ url, fetch, tokens }) }, options)
}

/** A token in a page is no secret. Workers have no document, and may run on a server. */
function warnOfToken(logger: Logger): void {
  if (hasWarned || !('document' in globalThis)) return
  hasWarned = true
  const message =
    'svc flags: this page has a token that each of its visitors can read, and that may change flags. ' +
    'Set authentication.exclude.ofrep on the service and leave `credential` out, or ask through the ' +
    "page's own server"
  if (logger.error === undefined) logger.warn(message)
  else logger.error(message)
}
