import { readFile } from 'node:fs/promises'
import type { V1TokenReview } from '@kubernetes/client-node'
import { countRequests, type ExchangeOptions, exchange } from '../../outbound/outbound.ts'
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

/** Maximum size of a TokenReview, which repeats the token and usually has some 10 KB. */
const maxAnswerBytes = 64 * 1024

/** Loads the library, which takes a second or two: before the first request. */
export async function openTokenReviews(settings: OrchestratorSettings): Promise<ReviewToken> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const { apiUrl, caFile, audience = '' } = settings
  const url = new URL(`${apiUrl.replace(/\/$/, '')}/apis/authentication.k8s.io/v1/tokenreviews`)
  // The library accepts plain HTTP only without verification.
  const tls = url.protocol === 'http:' ? { skipTLSVerify: true } : { skipTLSVerify: false, caFile }
  const count = countRequests('kubernetes')
  const cluster = { name: 'cluster', server: apiUrl, ...tls }

  return async (token, signal) => {
    const ownToken = await readOwnToken(settings)
    const review: V1TokenReview = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences: [audience] },
    }
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
    }
    const options: ExchangeOptions = { method: 'POST', headers, signal, sendsTrace: true }
    try {
      // Made for each request, with the present certificates.
      const config = new KubeConfig()
      config.loadFromClusterAndUser(cluster, { name: 'auth', token: ownToken })
      await config.applyToHTTPSOptions(options)
      // Not by the library's own client, which follows redirects with the token: decision 25.
      const answer = await exchange(url, options, JSON.stringify(review), maxAnswerBytes).catch(
        (error: unknown) => {
          count(undefined)
          throw error
        },
      )
      count(answer.status)
      if (!answer.ok)
        throw new ReviewError(`it answers ${answer.status}${hints[answer.status] ?? ''}`)
      const { status } = (await answer.json()) as V1TokenReview
      if (status === undefined || status === null) throw new TypeError('has no status')
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
export async function readOwnToken(settings: OrchestratorSettings): Promise<string> {
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

const hints: Readonly<Record<number, string>> = {
  401: ': token_file is not good there',
  403: ': this service may not create tokenreviews',
}

/** Errors of the library and of the parser hold what was sent and received, so they are replaced. */
function toReviewError(error: unknown, signal: AbortSignal): ReviewError {
  if (error instanceof ReviewError) return error
  if (signal.aborted) return new ReviewError('it takes too long')
  if (error instanceof RangeError) return new ReviewError('its answer is too long')
  const code = codeOf(error)
  // The only file that the library opens is that of the certificates.
  const isFileError =
    error instanceof Error && 'syscall' in error && /^(open|read)$/.test(`${error.syscall}`)
  if (isFileError) return new ReviewError(`ca_file cannot be read (${code})`)
  return new ReviewError(code ?? 'its answer is no TokenReview')
}

/** The error code of Node.js. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
