import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hashToken } from '../../credentials/records/token.ts'
import {
  audience,
  goodClaims,
  issuer,
  keySet,
  now,
  openJwt,
  startKeyServer,
} from './jwt.test.support.ts'
import { createSigner } from './signing.test.support.ts'

const signer = createSigner('ES256')
const second = createSigner('ES256', { keyId: 'second' })
const tokenOf = (claims: object, by = signer) =>
  by.token({ alg: 'ES256', kid: by.keyId }, { ...goodClaims, ...claims })

interface Test {
  teardown(work: () => unknown): void
  testdir(): string
}

/** Issuers with the settings of each, whose keys are in files. */
async function open(t: Test, sections: Readonly<Record<string, Readonly<Record<string, string>>>>) {
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
  const jwt = await openJwt(t, Object.fromEntries(whole))
  return (token: string, seconds = now) => jwt.verify(token, seconds * 1000)
}

const reason = (name: string) => ({ code: 'unauthenticated', reason: `jwt_${name}` })

t.test('an identity tells what the token says, and has no record', async (t) => {
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
  const good = [tokenOf({ aud: 'ci', sub: 'ci' }), tokenOf({ aud: 'cd', sub: 'cd' }, second)]
  for (const token of good) await t.resolves(accept(token))
  let refused = 0
  for (const aud of ['ci', 'cd']) {
    for (const sub of ['ci', 'cd']) {
      for (const by of [signer, second]) {
        const token = tokenOf({ aud, sub }, by)
        const isGood = aud === sub && (aud === 'ci') === (by === signer)
        if (isGood) continue
        await t.rejects(accept(token), { code: 'unauthenticated' }, `${aud} ${sub} ${by.keyId}`)
        refused += 1
      }
    }
  }
  t.equal(refused, 6)
})

t.test('the keys of one issuer are none of another', async (t) => {
  const other = 'https://other.example'
  const accept = await open(t, { one: {}, two: { issuer: other, key: 'two' } })
  await t.resolves(accept(tokenOf({ iss: other }, second)))
  await t.rejects(accept(tokenOf({ iss: other })), reason('wrong_signature'))
  await t.rejects(accept(tokenOf({}, second)), reason('wrong_signature'))
  await t.rejects(accept(tokenOf({ iss: 'https://third.example' })), reason('wrong_issuer'))
})

t.test('a section for any issuer has none of the tokens of those that are named', async (t) => {
  const accept = await open(t, { named: {}, any: { allow_any_issuer: 'true', key: 'two' } })
  await t.resolves(accept(tokenOf({})))
  await t.resolves(accept(tokenOf({ iss: 'another' }, second)))
  await t.rejects(accept(tokenOf({}, second)), reason('wrong_signature'))
})

t.test('any issuer is accepted where that is said, but not none', async (t) => {
  const accept = await open(t, { any: { allow_any_issuer: 'true', allow_any_audience: 'true' } })
  await t.resolves(accept(tokenOf({ iss: 'another', aud: 'whatever' })))
  await t.rejects(accept(tokenOf({ iss: undefined })), reason('missing_iss'))
})

t.test('any audience is accepted where that is said, and none as well', async (t) => {
  const accept = await open(t, { any: { allow_any_audience: 'true' } })
  for (const aud of ['whatever', ['one', 'two'], undefined]) {
    await t.resolves(accept(tokenOf({ aud })), JSON.stringify(aud))
  }
  for (const aud of [null, '', 7, [], [7]]) {
    await t.rejects(accept(tokenOf({ aud })), reason('wrong_claims'), JSON.stringify(aud))
  }
  await t.rejects(accept(tokenOf({ aud: undefined, sub: undefined })), reason('missing_sub'))
  await t.rejects(accept(tokenOf({ aud: undefined, exp: undefined })), reason('missing_exp'))
})

t.test('where audiences are named, a token has to name one of them', async (t) => {
  for (const more of [{}, { audiences: audience, allow_any_audience: 'true' }]) {
    const accept = await open(t, { ci: more })
    await t.resolves(accept(tokenOf({})))
    await t.rejects(accept(tokenOf({ aud: 'whatever' })), reason('wrong_audience'))
    await t.rejects(accept(tokenOf({ aud: undefined })), reason('missing_aud'))
  }
})

t.test(
  'those who are denied are refused, by what they claim and not by how it is spelled',
  async (t) => {
    const accept = await open(t, {
      ci: { denied_subjects: 'mallory eve', denied_ids: 'lost-1 lost-2' },
    })
    await t.resolves(accept(tokenOf({ jti: 'lost-3' })))
    for (const claims of [{ sub: 'mallory' }, { sub: 'eve', jti: 'x' }, { jti: 'lost-2' }]) {
      await t.rejects(accept(tokenOf(claims)), reason('denied'))
    }
    const escaped = JSON.stringify({ ...goodClaims, sub: 'mallory' }).replace(
      'mallory',
      'm\\u0061llory',
    )
    const respelled = signer.token({ alg: 'ES256', kid: signer.keyId }, ` ${escaped} `)
    await t.rejects(accept(respelled), reason('denied'))
  },
)

t.test('tokens from before an incident are refused, and those that hide their time', async (t) => {
  const accept = await open(t, {
    ci: { not_issued_before: new Date(now * 1000).toISOString() },
  })
  await t.resolves(accept(tokenOf({ iat: now })))
  await t.rejects(accept(tokenOf({ iat: now - 1 })), reason('denied'))
  await t.rejects(accept(tokenOf({ iat: undefined })), reason('denied'))
})

t.test('claims that are required have to say something', async (t) => {
  const accept = await open(t, { ci: { required_claims: 'scope toString' } })
  await t.resolves(accept(tokenOf({ scope: 'flags', toString: 'x' })))
  for (const scope of [undefined, null, '']) {
    await t.rejects(accept(tokenOf({ scope, toString: 'x' })), reason('missing_claim'))
  }
  await t.rejects(accept(tokenOf({ scope: 'flags' })), reason('missing_claim'))
})

t.test('a type that was set has to be there, in any case', async (t) => {
  const accept = await open(t, { ci: { type: 'application/x-flags+jwt' } })
  const typed = (typ: unknown) => signer.token({ alg: 'ES256', typ }, goodClaims)
  for (const typ of ['x-flags+jwt', 'X-Flags+JWT', 'application/x-flags+jwt']) {
    await t.resolves(accept(typed(typ)), typ)
  }
  for (const typ of [undefined, 'JWT', 'at+jwt', 'text/x-flags+jwt']) {
    await t.rejects(accept(typed(typ)), reason('wrong_type'))
  }
})

t.test(
  'a namespace comes from the claim that the settings name, and from nothing else',
  async (t) => {
    const accept = await open(t, { bound: { namespace_claim: 'team' } })
    const acceptFree = await open(t, { free: {} })
    t.equal((await accept(tokenOf({ team: 'shop' }))).namespaceKey, 'shop')
    const strange = {
      namespace: 'shop',
      namespaceKey: 'shop',
      'io.svc.auth.token.namespace': 'shop',
      'io.svc.auth.namespace': 'shop',
    }
    t.equal((await acceptFree(tokenOf(strange))).namespaceKey, '')
    const wrong = [
      '',
      ' ',
      'a b',
      'a/b',
      'ä',
      'x'.repeat(256),
      'shop\n',
      7,
      true,
      null,
      ['shop'],
      {},
    ]
    for (const team of [undefined, ...wrong]) {
      await t.rejects(accept(tokenOf({ ...strange, team })), reason('wrong_namespace'))
    }
    const inherited = `{"__proto__":{"team":"shop"},${JSON.stringify(goodClaims).slice(1)}`
    const token = signer.token({ alg: 'ES256' }, inherited)
    await t.rejects(accept(token), reason('wrong_namespace'))
  },
)

t.test('of the claims only those are kept that the settings name', async (t) => {
  const accept = await open(t, {
    plain: {},
    kept: {
      audiences: 'kept',
      claims: 'io.svc.auth.role io.flipt.auth.team groups level admin missing issuer',
    },
  })
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

t.test('when one of two sections cannot tell, the answer is not a refusal', async (t) => {
  const server = await startKeyServer(t, (response) => response.writeHead(500).end())
  const file = join(t.testdir(), 'key')
  writeFileSync(file, second.publicKey.export({ type: 'spki', format: 'pem' }))
  const common = { issuer, audiences: audience }
  const jwt = await openJwt(t, {
    down: { ...common, jwks_url: server.url, allow_insecure: 'true' },
    file: { ...common, public_key_file: file },
  })
  await t.rejects(jwt.verify(tokenOf({}), now * 1000), { code: 'unavailable' })
  await t.resolves(jwt.verify(tokenOf({}, second), now * 1000))
  server.answer = keySet(signer.jwk)
})
