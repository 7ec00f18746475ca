import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { byUrl, common, goodClaims, keySet, openJwt, startKeyServer } from './jwt.test.support.ts'
import { createSigner } from './signing.test.support.ts'

const signer = createSigner('ES256')
const token = signer.token({ alg: 'ES256', kid: signer.keyId }, goodClaims)
const unavailable = { code: 'unavailable', reason: 'jwt_keys_unavailable' }
const keysAsText = JSON.stringify({ keys: [signer.jwk] })

/** Ways in which an issuer can fail to send its keys. */
const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'an error': (response) => response.writeHead(500).end(keysAsText),
  'no such page': (response) => response.writeHead(404).end(),
  'a redirect': (response) => response.writeHead(302, { location: '/other' }).end(keysAsText),
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
  'too many keys': keySet(...Array.from({ length: 101 }, () => signer.jwk)),
  'too long a text': (response) => response.end(`${keysAsText}${' '.repeat(512 * 1024)}`),
}

for (const [name, answer] of Object.entries(failures)) {
  t.test(`an issuer that answers with ${name} makes its tokens wait, not fail`, async (t) => {
    const server = await startKeyServer(t, answer)
    const jwt = await openJwt(t, { ci: byUrl(server) })
    const startedAt = performance.now()
    await t.rejects(jwt.verify(token), unavailable)
    await t.rejects(jwt.verify(token), unavailable)
    t.ok(performance.now() - startedAt < 3000, 'soon')
    t.equal(server.asked, 1, 'it is asked once')
    await jwt.close()
    t.ok(performance.now() - startedAt < 4000, 'and closing waits for nothing')
  })
}

t.test('keys that drip in are waited for no longer than five seconds', async (t) => {
  const { promise: left, resolve: whenLeft } = Promise.withResolvers<number>()
  const server = await startKeyServer(t, (response) => {
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => {
      clearInterval(timer)
      whenLeft(performance.now())
    })
  })
  const jwt = await openJwt(t, { ci: byUrl(server) })
  const startedAt = performance.now()
  await t.rejects(jwt.verify(token), unavailable)
  t.ok(performance.now() - startedAt < 2000)
  const tookMs = (await left) - startedAt
  t.ok(tookMs > 4000 && tookMs < 6000, `${Math.round(tookMs)} ms`)
})

t.test('addresses of this machine are not called unless that is allowed', async (t) => {
  const server = await startKeyServer(t, keySet(signer.jwk))
  for (const url of [server.url.replace('http:', 'https:'), 'https://169.254.169.254/keys']) {
    const jwt = await openJwt(t, { ci: { ...common, jwks_url: url } })
    await t.rejects(jwt.verify(token), unavailable)
  }
  t.equal(server.asked, 0)
})

t.test('one issuer that hangs does not hold up another', async (t) => {
  const hung = await startKeyServer(t, () => {})
  const well = await startKeyServer(t, keySet(signer.jwk))
  const jwt = await openJwt(t, {
    other: { ...byUrl(hung), issuer: 'https://hung.example' },
    ci: byUrl(well),
  })
  await jwt.verify(token)
  const startedAt = performance.now()
  for (let i = 0; i < 100; i++) await jwt.verify(token)
  t.ok(performance.now() - startedAt < 1000)
})

t.test('a key in a file is used whatever id a token gives', async (t) => {
  const file = join(t.testdir(), 'key.pem')
  writeFileSync(file, signer.publicKey.export({ type: 'spki', format: 'pem' }))
  const jwt = await openJwt(t, { ci: { ...common, public_key_file: file } })
  for (const kid of [undefined, signer.keyId, 'another']) {
    await t.resolves(jwt.verify(signer.token({ alg: 'ES256', kid }, goodClaims)))
  }
  const forged = createSigner('ES256').token({ alg: 'ES256', kid: signer.keyId }, goodClaims)
  const refused = { code: 'unauthenticated', reason: 'jwt_wrong_signature' }
  await t.rejects(jwt.verify(forged), refused)
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
    await t.rejects(openJwt(t, sections), { name: 'SettingsError', message })
  }
})
