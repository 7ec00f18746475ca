import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { createAuthority } from './certificates.ts'
import type { ServerFault } from './faults.ts'
import { listen, type Test } from './listen.ts'
import { type Review, ServiceAccounts, type TokenOptions } from './service-accounts.ts'

export interface OrchestratorApi {
  readonly url: string
  readonly port: number
  /** Its certificate authority, as PEM. */
  readonly ca: string
  /** The settings of the auth service for it. */
  readonly env: Readonly<Record<string, string>>
  /** The token by which the auth service calls it. */
  readonly reviewerToken: string
  /** What it does otherwise than it should, until it is unset. */
  fault: ServerFault | undefined
  /** How often it was called. */
  readonly calls: number
  /** Makes a token for an account, which is made if there is none: `shop:client`. */
  tokenOf(account: string, options?: TokenOptions): string
  deleteAccount(account: string): void
}

/** For whom pods have a token in order to talk to the cluster. */
const apiAudience = 'api'

const reviewsPath = '/apis/authentication.k8s.io/v1/tokenreviews'
const reviewer = 'svc:auth'

/** How long its token is good for: longer than any test, for here it is written once. */
const reviewerSeconds = 86_400

/**
 * The part of a Kubernetes API server that reviews tokens, over real TLS and with the
 * answers of a real one: an unknown token is answered with 201, and without `authenticated`.
 */
export async function startOrchestratorApi(t: Test): Promise<OrchestratorApi> {
  const accounts = new ServiceAccounts(apiAudience)
  const authority = await createAuthority()
  const server = createServer(await authority.issue('127.0.0.1'), (request, response) => {
    calls += 1
    if (api.fault !== undefined) api.fault(request, response)
    else void answer(request, response)
  })
  let calls = 0
  const port = await listen(t, server)
  const directory = await mkdtemp(join(tmpdir(), 'svc-orchestrator-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const url = `https://127.0.0.1:${port}`
  const [caFile, tokenFile] = [join(directory, 'ca.crt'), join(directory, 'token')]
  const reviewerToken = accounts.tokenOf(reviewer, { seconds: reviewerSeconds })
  await Promise.all([writeFile(caFile, authority.cert), writeFile(tokenFile, reviewerToken)])

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await decide(accounts, request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  const prefix = 'SVC_AUTHENTICATION_METHODS_ORCHESTRATOR'
  const api: OrchestratorApi = {
    url,
    port,
    ca: authority.cert,
    env: {
      [`${prefix}_ENABLED`]: 'true',
      [`${prefix}_API_URL`]: url,
      [`${prefix}_CA_FILE`]: caFile,
      [`${prefix}_TOKEN_FILE`]: tokenFile,
      [`${prefix}_AUDIENCE`]: 'flags',
      [`${prefix}_SERVICE_ACCOUNTS`]: 'shop:client',
    },
    reviewerToken,
    fault: undefined,
    get calls() {
      return calls
    },
    tokenOf: (account, options) => accounts.tokenOf(account, options),
    deleteAccount: (account) => accounts.delete(account),
  }
  return api
}

async function decide(
  accounts: ServiceAccounts,
  request: IncomingMessage,
): Promise<readonly [status: number, body: object]> {
  const [, ownToken] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const caller = ownToken === undefined ? undefined : accounts.review(ownToken, [])
  if (caller !== undefined && !caller.authenticated) {
    return failure(401, 'Unauthorized', 'Unauthorized')
  }
  if (request.url !== reviewsPath || request.method !== 'POST') {
    return failure(404, 'NotFound', 'the server could not find the requested resource')
  }
  const username = caller?.user.username ?? 'system:anonymous'
  if (username !== `system:serviceaccount:${reviewer}`) return mayNotReview(username)
  const { spec } = (await json(request)) as { spec: { token?: string; audiences?: string[] } }
  if (!spec.token) {
    return failure(400, 'BadRequest', 'token is required for TokenReview in authentication')
  }
  const status: Review = accounts.review(spec.token, spec.audiences ?? [])
  const metadata = { creationTimestamp: null }
  return [
    201,
    { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', metadata, spec, status },
  ]
}

function mayNotReview(username: string) {
  const message =
    `tokenreviews.authentication.k8s.io is forbidden: User "${username}" cannot create resource` +
    ' "tokenreviews" in API group "authentication.k8s.io" at the cluster scope'
  const details = { group: 'authentication.k8s.io', kind: 'tokenreviews' }
  return failure(403, 'Forbidden', message, { details })
}

function failure(code: number, reason: string, message: string, more: object = {}) {
  const kind = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
  return [code, { ...kind, message, reason, ...more, code }] as const
}
