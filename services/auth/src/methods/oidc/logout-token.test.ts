import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import { readLogoutToken } from './logout-token.ts'
import { acmeSettings } from './oidc.test.support.ts'

const issuer = 'https://127.0.0.1:1'
const { acme } = acmeSettings().providers
const event = 'http://schemas.openid.net/event/backchannel-logout'

t.test('logout tokens', async (t) => {
  if (acme === undefined) throw new Error('there is no provider')
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const other = await generateKeyPair('RS256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'RS256' }] }
  const nowSeconds = () => Math.floor(Date.now() / 1000)
  const usual = () => ({
    ...{ iss: issuer, aud: 'flags', sub: 'ada', sid: 'a-session', jti: 'one' },
    ...{ iat: nowSeconds(), exp: nowSeconds() + 120, events: { [event]: {} } },
  })
  const make = (
    changes: Readonly<Record<string, unknown>> = {},
    header: object = {},
    key = privateKey,
  ) =>
    new SignJWT({ ...usual(), ...changes })
      .setProtectedHeader({ alg: 'RS256', kid: 'a', typ: 'logout+jwt', ...header })
      .sign(key)
  const read = (token: string, all: unknown = keys) => readLogoutToken(token, all, acme, Date.now())

  await t.test('say whose sessions end', async (t) => {
    const whole = { tokenId: 'one', subject: 'ada', sessionId: 'a-session', lifetimeMs: 360_000 }
    t.strictSame(await read(await make()), whole)
    t.strictSame(await read(await make({ sid: undefined })), { ...whole, sessionId: undefined })
    t.strictSame(await read(await make({ sub: undefined })), { ...whole, subject: undefined })
    t.strictSame(await read(await make({ exp: undefined })), whole, 'without an end of their own')
    for (const typ of ['JWT', 'application/logout+jwt', undefined]) {
      t.strictSame(await read(await make({}, { typ })), whole, `as a ${typ}`)
    }
  })

  await t.test('are refused with other claims', async (t) => {
    type Cases = { refused: Record<string, Record<string, unknown>> }
    for (const [name, changes] of Object.entries(
      readFixture<Cases>('auth/logout-tokens.yml').refused,
    )) {
      const times = Object.entries(changes).map(([key, value]) => [
        key,
        typeof value === 'number' && key !== 'sid' ? nowSeconds() + value : value,
      ])
      t.equal(await read(await make(Object.fromEntries(times))), undefined, name)
    }
  })

  await t.test('are judged by the clock that all replicas share', async (t) => {
    const laterMs = Date.now() + 3_600_000
    t.equal(await readLogoutToken(await make(), keys, acme, laterMs), undefined)
    const iat = Math.floor(laterMs / 1000)
    const token = await make({ iat, exp: iat + 120 })
    t.match(await readLogoutToken(token, keys, acme, laterMs), { subject: 'ada' })
  })

  await t.test('are refused with another signature, or none', async (t) => {
    const good = await make()
    const [header = '', payload = '', signature = ''] = good.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const tokens = [
      await make({}, {}, other.privateKey),
      await make({}, { kid: 'b' }),
      await make({}, { typ: 'at+jwt' }),
      await make({}, { typ: 'dpop+jwt' }),
      await make({}, { alg: 'PS256' }, (await generateKeyPair('PS256')).privateKey),
      `${encode({ alg: 'none' })}.${payload}.AA`,
      `${encode({ alg: 'none' })}.${payload}.`,
      `${header}.${encode({ ...usual(), sub: 'eve' })}.${signature}`,
      `${header}.${payload}.${signature.slice(4)}`,
      ...['', 'a', 'a.b.c', `${good}.a`, `${good} `, JSON.stringify({ payload }), 'a'.repeat(9000)],
    ]
    for (const token of tokens) t.equal(await read(token), undefined, token.slice(0, 40))
  })

  await t.test('are refused while there are no keys to check them with', async (t) => {
    for (const odd of [{ keys: [] }, {}, [], null, 'keys', { keys: {} }, { keys: [null] }]) {
      t.equal(await read(await make(), odd), undefined, JSON.stringify(odd))
    }
  })
})
