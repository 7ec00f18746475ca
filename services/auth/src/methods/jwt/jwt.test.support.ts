import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { settingsFor, silent } from '../../auth.test.support.ts'
import { type JwtVerifier, startJwt } from './jwt.ts'
import type { JwtSettings } from './settings.ts'

interface Test {
  teardown(work: () => unknown): void
}

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

/** @param sections settings of issuers by name, as an operator sets them in the environment */
export function jwtSettings(
  sections: Readonly<Record<string, Readonly<Record<string, string>>>>,
): JwtSettings {
  const env = Object.entries(sections).flatMap(([name, section]) =>
    Object.entries(section).map(([key, value]) => [
      `SVC_AUTHENTICATION_METHODS_JWT_ISSUERS_${name.toUpperCase()}_${key.toUpperCase()}`,
      value,
    ]),
  )
  return settingsFor('postgres://svc@127.0.0.1/svc', {
    SVC_AUTHENTICATION_METHODS_JWT_ENABLED: 'true',
    ...Object.fromEntries(env),
  }).authentication.methods.jwt
}

/** Accepts tokens for as long as the test runs. */
export async function openJwt(
  t: Test,
  sections: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<JwtVerifier> {
  const method = await startJwt(jwtSettings(sections), silent)
  t.teardown(() => method.close())
  return method
}

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
