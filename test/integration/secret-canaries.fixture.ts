import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from '../support/listen.ts'

/** Secrets by where they are put. Each is a text that nothing else has. */
export class Canaries {
  readonly values = new Map<string, string>()

  /** A new one, which is good for a key as well. */
  plant(place: string): string {
    return this.adopt(place, `c4n4ry${randomBytes(24).toString('hex')}`)
  }

  /** One that another part has made. */
  adopt(place: string, value: string): string {
    this.values.set(place, value)
    return value
  }

  /** @returns where those were put that are in the text, as they are or in base64 */
  findIn(text: string): string[] {
    return [...this.values].flatMap(([place, value]) => {
      const forms = [value, Buffer.from(value).toString('base64').replace(/=+$/, '')]
      return forms.some((form) => text.includes(form)) ? [place] : []
    })
  }
}

/** An OpenID provider that says too much in everything but its metadata. */
export async function startTalkativeProvider(t: Test, canaries: Canaries) {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/.well-known/')) return sendJson(response, 200, metadata)
    if (request.url?.startsWith('/keys')) return sendJson(response, 200, { keys: [] })
    answers += 1
    const idToken = `eyJhbGciOiJSUzI1NiJ9.${secrets.id}.${secrets.signature}`
    const tokens = { access_token: secrets.access, token_type: 'Bearer', refresh_token: secrets.id }
    const refusal = { error: 'invalid_grant', error_description: secrets.description }
    if (answers % 3 === 0) sendJson(response, 400, { ...refusal, ...tokens })
    else if (answers % 3 === 1) sendJson(response, 200, { ...tokens, id_token: idToken })
    else response.writeHead(500).end(secrets.page)
  })
  let answers = 0
  const secrets = {
    access: canaries.plant('access token of a provider'),
    id: canaries.plant('ID token of a provider'),
    signature: canaries.plant('signature of an ID token'),
    description: canaries.plant('error of a provider'),
    page: canaries.plant('page of a provider that fails'),
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    code_challenge_methods_supported: ['S256'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
  return { issuer, answers: () => answers }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
