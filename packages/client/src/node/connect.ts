import { fixedToken, type TokenSource } from '../credential.ts'
import { fileToken } from '../file-token.ts'
import { Http } from '../http.ts'
import { LocalClient } from '../local.ts'
import { invalid, readCredential, readOptions } from '../options.ts'
import { connectRemote } from '../remote.ts'
import type {
  ConnectOptions,
  LocalFlags,
  LocalOptions,
  RemoteFlags,
  RemoteOptions,
} from '../types.ts'
import { WorkloadToken } from '../workload.ts'
import { LastKnownGood } from './last-known-good.ts'
import { readTokenFile } from './read-text.ts'

/**
 * Connects to the flags of a namespace. Resolves when flags are here: from the server; or, when that cannot
 * be reached or is silent for `readyTimeoutMs`, from the file `lastKnownGood`, and then `isStale`.
 *
 * ```ts
 * const flags = await connect({ url: 'https://flags.example.com', credential: { token } })
 * flags.boolean('checkout', { entityId: 'user-42', context: { country: 'DE' } }, false)
 * ```
 *
 * @throws {SvcError} code 3 for options that make no sense; 14, 16, 7 or 5 when no flags can be had, unless
 *   `required` is false: the server cannot be reached, the credential or the URL is wrong
 */
export function connect(options: LocalOptions): Promise<LocalFlags>
export function connect(options: RemoteOptions): Promise<RemoteFlags>
export function connect(options: ConnectOptions): Promise<LocalFlags | RemoteFlags>
export async function connect(options: ConnectOptions): Promise<LocalFlags | RemoteFlags> {
  const { mode = 'local' } = options ?? {}
  if (mode !== 'local' && mode !== 'remote') throw invalid('`mode` must be local or remote')
  const common = readOptions(options, mode)
  const { url, namespace, fetch } = common
  const tokens = toTokens(options, url, fetch)
  const parts = { ...common, tokens, http: new Http({ url, fetch, tokens }) }
  if (options.mode === 'remote') return await connectRemote(parts, options)
  const { lastKnownGood } = options
  const file =
    lastKnownGood === undefined
      ? undefined
      : new LastKnownGood({ file: lastKnownGood, url, namespace })
  return await LocalClient.connect({ ...parts, file })
}

function toTokens(
  { credential }: ConnectOptions,
  url: string,
  fetch: typeof globalThis.fetch,
): TokenSource {
  const { token, tokenFile, serviceAccount } = readCredential(credential)
  if (tokenFile !== undefined) return fileToken(tokenFile, readTokenFile)
  if (serviceAccount === undefined) return fixedToken(token)
  return new WorkloadToken({ ...serviceAccount, url, fetch, readText: readTokenFile })
}
