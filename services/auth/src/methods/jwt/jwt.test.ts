import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hashToken } from '../../credentials/records/token.ts'
import { readFixture } from '../../fixtures.test.support.ts'
import {
  audience,
  byUrl,
  common,
  goodClaims,
  issuer,
  now,
  openJwt,
  type Sections,
  startKeyServer,
} from './jwt.test.support.ts'
import { createSigner } from './signing.test.support.ts'

const signer = createSigner('ES256')
const second = createSigner('ES256', { keyId: 'second' })
const tokenOf = (claims: object, by = signer) =>
  by.token({ alg: 'ES256', kid: by.keyId }, { ...goodClaims, ...claims })

/** Issuers with the settings of each, whose keys are in files. */
async function open(t: Test, sections: Sections) {
  const directory = t.testdir()
  const files = { one: signer, two: second }
  for (const [name, { publicKey }] of Object.entries(files)) {
    writeFileSync(join(directory, name), publicKey.export({ type: 'spki', format: 'pem' }))
  }
  const whole = Object.entries(sections).map(([name, { key = 'one', ...section }]) => [
    name,
    {
      ...(!('allow_any_issuer' in section) && { issuer }),
      ...(!('allow_any_audience' in section) && { audiences: audience }),
      public_key_file: join(directory, key),
      ...section,
    },
  ])
  const { verify } = await openJwt(t, Object.fromEntries(whole))
  return verify
}

const reason = (name: string) => ({ code: 'unauthenticated', reason: `jwt_${name}` })

t.test('an identity has what the token says, and no record', async (t) => {
  const accept = await open(t, { ci: {} })
  const token = tokenOf({})
  t.match(await accept(token), {
    authentication: {
      id: '',
      method: 'METHOD_JWT',
      metadata: { 'io.svc.auth.jwt.issuer': issuer, 'io.svc.auth.jwt.sub': 'deployments' },
      expiresAt: undefined,
      createdAt: undefined,
      updatedAt: undefined,
    },
    name: 'deployments',
    namespaceKey: '',
    tokenHash: Buffer.from(hashToken(token), 'base64url'),
    expiresInMs: 630_000,
  })
})

t.test('a token is good until its end, and the tolerance is on top of it', async (t) => {
  const accept = await open(t, { ci: { clock_tolerance: '10s' } })
  const token = tokenOf({ exp: now + 60 })
  t.equal((await accept(token)).expiresInMs, 70_000)
  t.equal((await accept(token, now + 69)).expiresInMs, 1000)
  await t.rejects(accept(token, now + 70), reason('expired'))
})

t.test('a token is good for as long as the settings say, at most', async (t) => {
  const accept = await open(t, { ci: { clock_tolerance: '10s', max_token_age: '1m' } })
  t.equal((await accept(tokenOf({}))).expiresInMs, 70_000)
  t.equal((await accept(tokenOf({ exp: now + 30 }))).expiresInMs, 40_000)
  await t.resolves(accept(tokenOf({}), now + 69))
  await t.rejects(accept(tokenOf({}), now + 71), reason('too_old'))
  await t.rejects(accept(tokenOf({ iat: undefined })), reason('missing_claim'))
})

t.test('a token has to fulfil every condition of one section, not some of each', async (t) => {
  const accept = await open(t, {
    ci: { audiences: 'ci', subject: 'ci', key: 'one' },
    cd: { audiences: 'cd', subject: 'cd', key: 'two' },
  })
  const keys = { ci: signer, cd: second }
  for (const aud of ['ci', 'cd'] as const) {
    for (const sub of ['ci', 'cd']) {
      for (const [name, by] of Object.entries(keys)) {
        const verified = accept(tokenOf({ aud, sub }, by))
        if (aud === sub && aud === name) await t.resolves(verified)
        else await t.rejects(verified, { code: 'unauthenticated' }, `${aud} ${sub} ${name}`)
      }
    }
  }
})

t.test('the keys of one issuer are none of another, nor of any', async (t) => {
  const two = 'https://two.example'
  const accept = await open(t, { one: {}, two: { issuer: two, key: 'two' } })
  await t.resolves(accept(tokenOf({ iss: two }, second)))
  await t.rejects(accept(tokenOf({ iss: two })), reason('wrong_signature'))
  await t.rejects(accept(tokenOf({}, second)), reason('wrong_signature'))
  await t.rejects(accept(tokenOf({ iss: 'https://third.example' })), reason('wrong_issuer'))
  const acceptAny = await open(t, { named: {}, any: { allow_any_issuer: 'true', key: 'two' } })
  await t.resolves(acceptAny(tokenOf({})))
  await t.resolves(acceptAny(tokenOf({ iss: 'another' }, second)))
  await t.rejects(acceptAny(tokenOf({}, second)), reason('wrong_signature'))
})

interface Case {
  readonly settings: Readonly<Record<string, string>>
  readonly accepted: readonly object[]
  readonly refused: Readonly<Record<string, readonly object[]>>
}

const { cases } = readFixture<{ cases: Record<string, Case> }>('auth/jwt-conditions.yml')

for (const [name, { settings, accepted, refused }] of Object.entries(cases)) {
  t.test(name, async (t) => {
    const accept = await open(t, { ci: settings })
    for (const claims of accepted) await t.resolves(accept(tokenOf(claims)), JSON.stringify(claims))
    for (const [wrong, all] of Object.entries(refused)) {
      for (const claims of all) {
        await t.rejects(accept(tokenOf(claims)), reason(wrong), JSON.stringify(claims))
      }
    }
  })
}

t.test('a denied subject is refused however it is spelled', async (t) => {
  const accept = await open(t, { ci: { denied_subjects: 'mallory' } })
  const claims = JSON.stringify({ ...goodClaims, sub: 'mallory' })
  const escaped = ` ${claims.replace('mallory', 'm\\u0061llory')} `
  await t.rejects(accept(signer.token({ alg: 'ES256' }, escaped)), reason('denied'))
})

t.test('the reason of a refusal is what is wrong with the header', async (t) => {
  const [usual, typed] = [
    await open(t, { ci: { algorithms: 'es256 eddsa' } }),
    await open(t, { ci: { type: 'application/x-flags+jwt' } }),
  ]
  const headers: Readonly<Record<string, readonly object[]>> = {
    wrong_algorithm: [{ alg: 'RS256' }, { alg: 'none' }, { alg: 'HS256' }, { alg: undefined }],
    unknown_key: [{ alg: 'EdDSA' }, { alg: 'Ed25519' }],
    wrong_header: [{ kid: 1 }, { kid: null }, { crit: ['b64'], b64: false }],
    wrong_type: [{ typ: 'logout+jwt' }, { typ: 7 }],
  }
  const check = (accept: typeof usual, header: object) =>
    accept(signer.token({ alg: 'ES256', ...header }, goodClaims))
  for (const [name, all] of Object.entries(headers)) {
    for (const header of all) {
      await t.rejects(check(usual, header), reason(name), JSON.stringify(header))
    }
  }
  for (const typ of ['x-flags+jwt', 'X-Flags+JWT', 'application/x-flags+jwt']) {
    await t.resolves(check(typed, { typ }), typ)
  }
  for (const typ of [undefined, 'JWT', 'at+jwt', 'text/x-flags+jwt']) {
    await t.rejects(check(typed, { typ }), reason('wrong_type'))
  }
})

t.test('a namespace comes from the named claim, and from nothing else', async (t) => {
  const accept = await open(t, { bound: { namespace_claim: 'team' } })
  const acceptFree = await open(t, { free: {} })
  t.equal((await accept(tokenOf({ team: 'shop' }))).namespaceKey, 'shop')
  const names = [
    'namespace',
    'namespaceKey',
    'io.svc.auth.token.namespace',
    'io.svc.auth.namespace',
  ]
  const strange = Object.fromEntries(names.map((name) => [name, 'shop']))
  t.equal((await acceptFree(tokenOf(strange))).namespaceKey, '')
  const texts = ['', ' ', 'a b', 'a/b', 'ä', 'x'.repeat(256), 'shop\n']
  for (const team of [undefined, ...texts, 7, true, null, ['shop'], {}]) {
    await t.rejects(accept(tokenOf({ ...strange, team })), reason('wrong_namespace'))
  }
  const inherited = `{"__proto__":{"team":"shop"},${JSON.stringify(goodClaims).slice(1)}`
  const token = signer.token({ alg: 'ES256' }, inherited)
  await t.rejects(accept(token), reason('wrong_namespace'))
})

t.test('of the claims only those are kept that the settings name', async (t) => {
  const names = 'io.svc.auth.role io.flipt.auth.team groups level admin missing issuer'
  const accept = await open(t, { plain: {}, kept: { audiences: 'kept', claims: names } })
  const claims = {
    'io.svc.auth.role': 'admin',
    'io.flipt.auth.team': 'blue',
    groups: ['a', 'b'],
    level: 3,
    admin: false,
    issuer: 'https://other.example',
    email: 'eve@example.com',
    user: { email: 'ada@example.com', sub: 'ada', image: 7, role: null, password: 'secret' },
  }
  const basic = {
    'io.svc.auth.jwt.issuer': issuer,
    'io.svc.auth.jwt.sub': 'ada',
    'io.svc.auth.jwt.email': 'ada@example.com',
  }
  const metadataOf = async (aud: string) =>
    (await accept(tokenOf({ ...claims, aud }))).authentication?.metadata
  t.strictSame(await metadataOf(audience), basic)
  t.strictSame(await metadataOf('kept'), {
    ...basic,
    'io.svc.auth.role': 'admin',
    'io.svc.auth.team': 'blue',
    'io.svc.auth.jwt.groups': '["a","b"]',
    'io.svc.auth.jwt.level': '3',
    'io.svc.auth.jwt.admin': 'false',
  })
})

t.test('a principal is what the issuer proves, whatever the claim user says', async (t) => {
  const accept = await open(t, { ci: { claims: 'issuer io.svc.auth.jwt.sub' } })
  const principalOf = async (claims: object) => (await accept(tokenOf(claims))).principal
  const alice = await principalOf({ sub: 'alice' })
  t.equal(alice, '70b056ed9478245289b4b7450910fc35', 'that of the releases before')
  t.equal(await principalOf({ sub: 'alice', user: { sub: 'mallory' } }), alice)
  const mallory = await principalOf({ sub: 'mallory' })
  t.not(mallory, alice)
  const claiming = { user: { sub: 'alice' }, issuer: 'x', 'io.svc.auth.jwt.sub': 'alice' }
  t.equal(await principalOf({ sub: 'mallory', ...claiming }), mallory)
})

t.test('when one of two sections cannot decide, the answer is not a refusal', async (t) => {
  const server = await startKeyServer(t, (response) => response.writeHead(500).end())
  const file = join(t.testdir(), 'key')
  writeFileSync(file, second.publicKey.export({ type: 'spki', format: 'pem' }))
  const { verify } = await openJwt(t, {
    down: byUrl(server),
    file: { ...common, public_key_file: file },
  })
  await t.rejects(verify(tokenOf({})), { code: 'unavailable' })
  await t.resolves(verify(tokenOf({}, second)))
})
