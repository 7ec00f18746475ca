import { createHash, randomBytes } from 'node:crypto'
import type { TestAuth } from '../auth.test.support.ts'
import { signIn } from '../sessions/sessions.test.support.ts'

/** An auth service with logins of people. */
export const withCodehost = {
  SVC_SERVER_PUBLIC_URL: 'https://flags.example',
  SVC_AUTHENTICATION_METHODS_CODEHOST_ENABLED: 'true',
  SVC_AUTHENTICATION_METHODS_CODEHOST_SERVER_URL: 'https://idp.example',
  SVC_AUTHENTICATION_METHODS_CODEHOST_CLIENT_ID: 'flags',
  SVC_AUTHENTICATION_METHODS_CODEHOST_CLIENT_SECRET: 'a-secret-of-no-use',
}

/** A verifier, and the challenge that is made of it. */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const from = (clientToken: string, address = '192.0.2.7') => ({
  metadata: { authorization: `Bearer ${clientToken}`, 'svc-client-address': address },
})

/** A session begun with a static token, and what the command line does with its help. */
export async function openSession(auth: TestAuth, request: Parameters<TestAuth['create']>[0] = {}) {
  const parent = await auth.create({ name: 'ui', ...request })
  const metadata = { 'svc-client-address': '192.0.2.7' }
  const session = await signIn(auth.channel, parent.clientToken, metadata)
  return { parent, ...session, ...loginsOf(auth, session.clientToken) }
}

/** Logins of the command line with the help of a session. */
export function loginsOf({ cli }: Pick<TestAuth, 'cli'>, session: string) {
  const allow = async (description = 'laptop') => {
    const { verifier, challenge } = newVerifier()
    const { code } = await cli.createCliCode({ challenge, description }, from(session))
    return { code, verifier }
  }
  return {
    allow,
    /** @returns the token of the command line */
    logIn: async () => (await cli.exchangeCliCode(await allow())).clientToken,
  }
}
