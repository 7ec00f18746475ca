import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { silent } from '../../auth.test.support.ts'
import {
  audience,
  goodClaims,
  issuer,
  jwtSettings,
  type KeyServer,
  keySet,
  now,
  openJwt,
  startKeyServer,
} from './jwt.test.support.ts'
import { startJwt } from './jwt.ts'
import { createSigner } from './signing.test.support.ts'

const signer = createSigner('ES256')
const token = signer.token({ alg: 'ES256', kid: signer.keyId }, goodClaims)
const unavailable = { code: 'unavailable', reason: 'jwt_keys_unavailable' }
const common = { issuer, audiences: audience }

const byUrl = ({ url }: KeyServer) => ({
  ci: { ...common, jwks_url: url, allow_insecure: 'true' },
})

/** Ways in which an issuer can fail to send its keys. */
const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'an error': (response) => response.writeHead(500).end(keysAsText),
  'no such page': (response) => response.writeHead(404).end(),
  'no content': (response) => response.writeHead(204).end(),
  nothing: () => {},
  'an end': (response) => response.destroy(),
  'half of it': (response) => {
    response.setHeader('content-length', 10_000).write(keysAsText)
    setTimeout(() => response.destroy(), 20)
  },
  'another page': (response) => response.setHeader('content-type', 'text/html').end('<html>'),
  'other JSON': (response) => response.end('{"issuer":"https://issuer.example"}'),
  'no JSON': (response) => response.end(`${keysAsText}]`),
  'too many keys': (response) => {
    keySet(...Array.from({ length: 101 }, () => signer.jwk))(response)
  },
  'too long a text': (response) => response.end(`${keysAsText}${' '.repeat(512 * 1024)}`),
}
const keysAsText = JSON.stringify({ keys: [signer.jwk] })

for (const [name, answer] of Object.entries(failures)) {
  t.test(`an issuer that answers with ${name} makes its tokens wait, not fail`, async (t) => {
    const server = await startKeyServer(t, answer)
    const jwt = await openJwt(t, byUrl(server))
    const startedAt = performance.now()
    await t.rejects(jwt.verify(token, now * 1000), unavailable)
    await t.rejects(jwt.verify(token, now * 1000), unavailable)
    t.ok(performance.now() - startedAt < 3000, 'soon')
    t.equal(server.asked, 1, 'it is asked once')
  })
}

t.test('keys that drip in are waited for no longer than five seconds', async (t) => {
  let whenLeft = (_: number) => {}
  const left = new Promise<number>((resolve) => {
    whenLeft = resolve
  })
  const server = await startKeyServer(t, (response) => {
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => {
      clearInterval(timer)
      whenLeft(performance.now())
    })
  })
  const jwt = await openJwt(t, byUrl(server))
  const startedAt = performance.now()
  await t.rejects(jwt.verify(token, now * 1000), unavailable)
  t.ok(performance.now() - startedAt < 2000)
  const tookMs = (await left) - startedAt
  t.ok(tookMs > 4000 && tookMs < 6000, `${Math.round(tookMs)} ms`)
})

t.test('of 64 MiB hardly any is read', async (t) => {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  let sent = 0
  const server = await startKeyServer(t, (response) => {
    const send = () => {
      while (sent < 64 * 2 ** 20 && !response.destroyed) {
        sent += chunk.length
        if (!response.write(chunk)) {
          response.once('drain', send)
          return
        }
      }
    }
    send()
  })
  const jwt = await openJwt(t, byUrl(server))
  await t.rejects(jwt.verify(token, now * 1000), unavailable)
  t.ok(sent < 16 * 2 ** 20, `${sent} bytes were sent`)
})

t.test('redirects are not followed', async (t) => {
  const target = await startKeyServer(t, keySet(signer.jwk))
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await startKeyServer(t, (response) => {
      response.writeHead(status, { location: target.url }).end()
    })
    const jwt = await openJwt(t, byUrl(server))
    await t.rejects(jwt.verify(token, now * 1000), unavailable)
  }
  t.equal(target.asked, 0)
})

t.test('addresses of this machine are not called unless that is allowed', async (t) => {
  const server = await startKeyServer(t, keySet(signer.jwk))
  for (const url of [server.url.replace('http:', 'https:'), 'https://169.254.169.254/keys']) {
    const jwt = await openJwt(t, { ci: { ...common, jwks_url: url } })
    await t.rejects(jwt.verify(token, now * 1000), unavailable)
  }
  t.equal(server.asked, 0)
})

t.test('one issuer that hangs does not hold up another', async (t) => {
  const hung = await startKeyServer(t, () => {})
  const well = await startKeyServer(t, keySet(signer.jwk))
  const jwt = await openJwt(t, {
    other: {
      ...common,
      issuer: 'https://hung.example',
      jwks_url: hung.url,
      allow_insecure: 'true',
    },
    ...byUrl(well),
  })
  await jwt.verify(token, now * 1000)
  const startedAt = performance.now()
  for (let i = 0; i < 100; i++) await jwt.verify(token, now * 1000)
  t.ok(performance.now() - startedAt < 1000)
})

t.test('keys that are rotated are found by their new name', async (t) => {
  const server = await startKeyServer(t, keySet(signer.jwk))
  const jwt = await openJwt(t, byUrl(server))
  await jwt.verify(token, now * 1000)
  const next = createSigner('ES256', { keyId: 'next' })
  server.answer = keySet(signer.jwk, next.jwk)
  const early = next.token({ alg: 'ES256', kid: 'next' }, goodClaims)
  // The keys were fetched a moment ago; in half a minute they are again.
  await t.rejects(jwt.verify(early, now * 1000), {
    code: 'unauthenticated',
    reason: 'jwt_unknown_key',
  })
  t.equal(server.asked, 1)
})

t.test('a method that is closed while an issuer hangs ends at once', async (t) => {
  const server = await startKeyServer(t, () => {})
  const jwt = await startJwt(jwtSettings(byUrl(server)), silent)
  const startedAt = performance.now()
  await jwt.close()
  t.ok(performance.now() - startedAt < 1000)
})

t.test('a key in a file is used whatever id a token gives', async (t) => {
  const file = join(t.testdir(), 'key.pem')
  writeFileSync(file, signer.publicKey.export({ type: 'spki', format: 'pem' }))
  const jwt = await openJwt(t, { ci: { ...common, public_key_file: file } })
  for (const kid of [undefined, signer.keyId, 'another']) {
    await t.resolves(jwt.verify(signer.token({ alg: 'ES256', kid }, goodClaims), now * 1000))
  }
  const stranger = createSigner('ES256')
  const forged = stranger.token({ alg: 'ES256', kid: signer.keyId }, goodClaims)
  await t.rejects(jwt.verify(forged, now * 1000), {
    code: 'unauthenticated',
    reason: 'jwt_wrong_signature',
  })
})

t.test('a file that cannot be used keeps the service from starting, and is named', async (t) => {
  const directory = t.testdir({ empty: '', large: 'x'.repeat(70_000), folder: {} })
  const key = 'authentication.methods.jwt.issuers.ci.public_key_file names a file that'
  const cases = {
    missing: `${key} does not exist.`,
    folder: `${key} is a directory.`,
    large: `${key} is too large.`,
    empty: `${key} holds no public key ("BEGIN PUBLIC KEY") and no certificate in PEM.`,
  }
  for (const [name, message] of Object.entries(cases)) {
    const sections = { ci: { ...common, public_key_file: join(directory, name) } }
    await t.rejects(startJwt(jwtSettings(sections), silent), { name: 'SettingsError', message })
  }
})
