import { readFile } from 'node:fs/promises'
import type { RequestContext, ResponseContext } from '@kubernetes/client-node'
import { readAudiences } from './service-account-token.ts'
import type { OrchestratorSettings } from './settings.ts'

/**
 * Has the API server of the cluster look at a token.
 *
 * @returns the status of its answer, of which nothing has been checked
 * @throws {ReviewError} when there is no such answer
 */
export type ReviewToken = (token: string, signal: AbortSignal) => Promise<unknown>

/** Why there is no answer, for the log: nothing of the token and of what the server said. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError'
}

export type ApiSettings = Pick<
  OrchestratorSettings,
  'apiUrl' | 'caFile' | 'tokenFile' | 'audience' | 'allowApiServerAudience'
>

type Library = typeof import('@kubernetes/client-node')

/** An answer repeats the token and tells whose it is, which makes some ten kilobytes. */
const maxAnswerBytes = 64 * 1024

/** Takes a second or two, for the library is large; so it is done before there are requests. */
export async function openTokenReviews(settings: ApiSettings): Promise<ReviewToken> {
  const library = await import('@kubernetes/client-node')
  return async (token, signal) => {
    const ownToken = await readOwnToken(settings)
    try {
      const api = openApi(library, settings, ownToken, signal)
      const { audience = '' } = settings
      const { status } = await api.createTokenReview({
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token, audiences: [audience] },
        },
      })
      if (status === undefined || status === null)
        throw new ReviewError('its answer is no TokenReview')
      return status
    } catch (error) {
      throw toReviewError(error, signal)
    }
  }
}

/**
 * The token by which this service calls the API server. Whoever mounts it renews it now and then.
 *
 * @throws {ReviewError} when there is none, or when it shows that our audience is the API server's:
 *   then every token that a pod has for talking to its cluster would be good here, too
 */
export async function readOwnToken(settings: ApiSettings): Promise<string> {
  const { tokenFile, audience = '', allowApiServerAudience } = settings
  const text = await readFile(tokenFile, 'utf8').catch((error: unknown) => {
    throw new ReviewError(`token_file cannot be read (${codeOf(error) ?? 'it is no file'})`)
  })
  const token = text.trim()
  if (!allowApiServerAudience && readAudiences(token).includes(audience)) {
    throw new ReviewError(
      "audience is the API server's own: choose another one, for which pods get a token of its own," +
        ' or set allow_api_server_audience',
    )
  }
  return token
}

function openApi(
  { AuthenticationV1Api, createConfiguration, KubeConfig, ...library }: Library,
  { apiUrl: server, caFile }: ApiSettings,
  token: string,
  signal: AbortSignal,
) {
  const name = 'cluster'
  const isPlain = server.startsWith('http:')
  const config = new KubeConfig()
  config.loadFromClusterAndUser(
    // The library speaks plain HTTP only to whom it need not verify.
    { name, server, skipTLSVerify: isPlain, ...(isPlain ? {} : { caFile }) },
    { name, token },
  )
  return new AuthenticationV1Api(
    createConfiguration({
      baseServer: new library.ServerConfiguration(server.replace(/\/$/, ''), {}),
      authMethods: { default: config },
      httpApi: library.wrapHttpLibrary({ send: (request) => send(library, request, signal) }),
    }),
  )
}

/** In place of what the library has, which follows redirects and reads answers of any length. */
async function send(
  { ResponseContext, SelfDecodingBody }: Pick<Library, 'ResponseContext' | 'SelfDecodingBody'>,
  request: RequestContext,
  signal: AbortSignal,
): Promise<ResponseContext> {
  const { origin, pathname } = new URL(request.getUrl())
  // Made for this request, with the certificates as they are now.
  const dispatcher = request.getDispatcher()
  if (dispatcher === undefined) throw new ReviewError('there is no way to the API server')
  // It looks at the signal only when it is connected.
  const giveUp = () => void dispatcher.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const { statusCode, body } = await dispatcher.request({
      origin,
      path: pathname,
      method: 'POST',
      headers: request.getHeaders(),
      body: String(request.getBody()),
      signal,
    })
    const bytes = statusCode < 300 ? await readBounded(body) : Buffer.alloc(0)
    const headers = { 'content-type': 'application/json' }
    return new ResponseContext(statusCode, headers, new SelfDecodingBody(Promise.resolve(bytes)))
  } finally {
    signal.removeEventListener('abort', giveUp)
    giveUp()
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxAnswerBytes) throw new ReviewError('its answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The errors of the library and of the parser hold what was sent and received. */
function toReviewError(error: unknown, signal: AbortSignal): ReviewError {
  if (error instanceof ReviewError) return error
  if (signal.aborted) return new ReviewError('it takes too long')
  const code = codeOf(error)
  if (code === 403) {
    return new ReviewError('it answers 403: this service may not create tokenreviews')
  }
  if (code === 401) return new ReviewError('it answers 401: token_file is not good there')
  if (typeof code === 'number') return new ReviewError(`it answers ${code}`)
  if (isFileError(error)) return new ReviewError(`ca_file cannot be read (${code})`)
  return new ReviewError(code ?? 'its answer is no TokenReview')
}

/** The library itself opens one file only. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && /^(open|read)$/.test(`${error.syscall}`)
}

/** What went wrong by the name that Node.js has for it, or the status of an answer. */
function codeOf(error: unknown): string | number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'number' || typeof code === 'string' ? code : undefined
}
