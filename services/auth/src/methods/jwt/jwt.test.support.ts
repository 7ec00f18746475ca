import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { Test } from 'tap'
import { settingsFor, silent } from '../../auth.test.support.ts'
import type { ServiceContext } from '../../credentials/context.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { jwtMethod } from './jwt.ts'

/** The issuer of these tests, and whom its tokens are for. */
export const issuer = 'https://issuer.example'
export const audience = 'flags'

/** The time in these tests, in seconds since 1970. */
export const now = 1_800_000_000

/** The claims of a token that is accepted. */
export const goodClaims = {
  iss: issuer,
  aud: audience,
  sub: 'deployments',
  exp: now + 600,
  iat: now,
}

/** Settings of issuers by name, as an operator sets them in the environment. */
export type Sections = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The settings of the issuer of these tests. */
export const common = { issuer, audiences: audience }

/** Accepts tokens for as long as the test runs. */
export async function openJwt(t: Test, sections: Sections) {
  const env = Object.entries(sections).flatMap(([name, section]) =>
    Object.entries(section).map(([key, value]) => [
      `SVC_AUTHENTICATION_METHODS_JWT_ISSUERS_${name.toUpperCase()}_${key.toUpperCase()}`,
      value,
    ]),
  )
  const { jwt } = settingsFor('postgres://svc@127.0.0.1/svc', {
    SVC_AUTHENTICATION_METHODS_JWT_ENABLED: 'true',
    ...Object.fromEntries(env),
  }).authentication.methods
  let nowMs = now * 1000
  // What the method uses of it.
  const context = { nowMs: () => nowMs, log: silent } as ServiceContext
  const method = await jwtMethod.open(jwt, context)
  const close = async () => method.close?.()
  t.teardown(close)
  return {
    close,
    /** @param seconds the time since 1970 */
    async verify(token: string, seconds = now): Promise<Identity> {
      nowMs = seconds * 1000
      const identity = await method.verify?.(token)
      if (identity === undefined) throw unauthenticated()
      return identity
    },
  }
}

/** The settings of an issuer that publishes its keys. */
export const byUrl = ({ url }: Pick<KeyServer, 'url'>) => ({
  ...common,
  jwks_url: url,
  allow_insecure: 'true',
})

type Answer = (response: ServerResponse) => void

export interface KeyServer {
  readonly url: string
  /** How many requests have come. */
  readonly asked: number
  /** What each of them is answered with. */
  answer: Answer
}

/** Serves keys as an issuer does, or fails to. */
export async function startKeyServer(t: Test, answer: Answer): Promise<KeyServer> {
  const state = { asked: 0, answer }
  const server = createServer((_request, response) => {
    state.asked += 1
    state.answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(state, { url: `http://127.0.0.1:${port}/keys` })
}

/** The answer of an issuer that is well. */
export function keySet(...keys: readonly unknown[]): Answer {
  return (response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
  }
}
