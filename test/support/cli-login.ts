import { createHash, randomBytes } from 'node:crypto'
import type { Answer } from './http.ts'

/** A verifier, and the challenge that is made of it (RFC 7636). */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>

/** What the page does when a person allows it. @param send as a browser that is signed in */
export async function allowCli(send: Send, description = 'laptop') {
  const { verifier, challenge } = newVerifier()
  const answer = await send('POST', '/auth/v1/self/cli-codes', { challenge, description })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return { code: (answer.body as { code: string }).code, verifier }
}
