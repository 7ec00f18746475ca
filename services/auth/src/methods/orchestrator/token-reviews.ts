import { readFile } from 'node:fs/promises'
import type { RequestContext, ResponseContext } from '@kubernetes/client-node'
import { readAudiences } from './service-account-token.ts'
import type { OrchestratorSettings } from './settings.ts'

/**
 * Has the API server of the cluster review a token.
 *
 * @returns the status of the TokenReview, unchecked
 * @throws {ReviewError} when there is none
 */
export type ReviewToken = (token: string, signal: AbortSignal) => Promise<unknown>

/** Why a review failed, for the log: without the token and without the text of the server. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError'
}

export type ApiSettings = Pick<
  OrchestratorSettings,
  'apiUrl' | 'caFile' | 'tokenFile' | 'audience' | 'allowApiServerAudience'
>

type Library = typeof import('@kubernetes/client-node')

/** Maximum size of a TokenReview, which repeats the token and usually has some 10 KB. */
const maxAnswerBytes = 64 * 1024

/** Loads the library, which takes a second or two: before the first request. */
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
 * Reads the token by which this service calls the API server. The kubelet renews the file.
 *
 * @throws {ReviewError} when there is none, or when its audience is the configured one: then every token
 *   with which a pod calls its API server would be accepted here
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
    // The library accepts plain HTTP only without verification.
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

/** Replaces the transport of the library, which follows redirects with the token: decision 25. */
async function send(
  { ResponseContext, SelfDecodingBody }: Pick<Library, 'ResponseContext' | 'SelfDecodingBody'>,
  request: RequestContext,
  signal: AbortSignal,
): Promise<ResponseContext> {
  const { origin, pathname } = new URL(request.getUrl())
  // Made for this request, with the present certificates.
  const dispatcher = request.getDispatcher()
  if (dispatcher === undefined) throw new ReviewError('there is no way to the API server')
  // undici ignores the signal until it is connected.
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

/** Errors of the library and of the parser hold what was sent and received, so they are replaced. */
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

/** The only file that the library opens is that of the certificates. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && /^(open|read)$/.test(`${error.syscall}`)
}

/** The error code of Node.js, or the status of a response. */
function codeOf(error: unknown): string | number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'number' || typeof code === 'string' ? code : undefined
}
