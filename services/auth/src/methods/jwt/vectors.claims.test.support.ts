import { audience, goodClaims, issuer, now } from './jwt.test.support.ts'
import { type Forge, header, type Vector, withClaims } from './vectors.test.support.ts'

/** Tokens that are refused for what they claim. */
export function badClaims(forge: Forge): readonly Vector[] {
  const whole = JSON.stringify(goodClaims)
  const but = (name: string, json: string) => {
    const rest = Object.entries(goodClaims).filter(([key]) => key !== name)
    return `${JSON.stringify(Object.fromEntries(rest)).slice(0, -1)},"${name}":${json}}`
  }
  return withClaims(forge, {
    'no iss': { iss: undefined },
    'iss null': { iss: null },
    'iss empty': { iss: '' },
    'iss a number': { iss: 7 },
    'iss another': { iss: 'https://other.example' },
    'iss with a slash': { iss: `${issuer}/` },
    'iss with a space': { iss: `${issuer} ` },
    'iss in capitals': { iss: issuer.toUpperCase() },
    'iss by http': { iss: issuer.replace('https', 'http') },
    'iss that goes on': { iss: `${issuer}.attacker.example` },
    'iss that looks the same': { iss: issuer.replace('e', 'е') },
    'iss a list': { iss: [issuer] },
    'iss an object': { iss: { [issuer]: true } },

    'no aud': { aud: undefined },
    'aud null': { aud: null },
    'aud empty': { aud: '' },
    'aud a number': { aud: 7 },
    'aud another': { aud: 'other' },
    'aud in capitals': { aud: audience.toUpperCase() },
    'aud that goes on': { aud: `${audience}-admin` },
    'aud in a longer text': { aud: `other ${audience}` },
    'aud an empty list': { aud: [] },
    'aud a list of others': { aud: ['other', 'another'] },
    'aud a list with a number': { aud: [audience, 7] },
    'aud a list with null': { aud: [audience, null] },
    'aud a list in a list': { aud: [[audience]] },
    'aud an object': { aud: { 0: audience } },

    'no sub': { sub: undefined },
    'sub null': { sub: null },
    'sub empty': { sub: '' },
    'sub a number': { sub: 0 },
    'sub true': { sub: true },
    'sub a list': { sub: ['deployments'] },
    'sub an object': { sub: { id: 'deployments' } },

    'no exp': { exp: undefined },
    'exp null': { exp: null },
    'exp a text': { exp: String(now + 600) },
    'exp true': { exp: true },
    'exp a list': { exp: [now + 600] },
    'exp an object': { exp: { value: now + 600 } },
    'exp zero': { exp: 0 },
    'exp negative': { exp: -1 },
    'exp an hour ago': { exp: now - 3600 },
    'exp at the end of the tolerance': { exp: now - 30 },
    'exp in milliseconds': { exp: (now + 600) * 1000 },
    'exp in eleven years': { exp: now + 11 * 365 * 86_400 },
    'exp beyond all numbers': but('exp', '1e999'),
    'exp beneath all numbers': but('exp', '-1e999'),
    'exp no number': but('exp', 'NaN'),
    'exp in base 16': but('exp', '0x6b49d200'),

    'nbf in an hour': { nbf: now + 3600 },
    'nbf after the tolerance': { nbf: now + 31 },
    'nbf null': { nbf: null },
    'nbf a text': { nbf: String(now) },
    'nbf negative': { nbf: -1 },
    'nbf beyond all numbers': but('nbf', '1e999'),

    'iat in an hour': { iat: now + 3600 },
    'iat after the tolerance': { iat: now + 31 },
    'iat null': { iat: null },
    'iat a text': { iat: String(now) },
    'iat an object': { iat: {} },
    'iat negative': { iat: -1 },
    'iat in milliseconds': { iat: now * 1000 },
    'iat beyond all numbers': but('iat', '1e999'),

    'jti a number': { jti: 7 },
    'jti null': { jti: null },
    'jti empty': { jti: '' },
    'events, as logout tokens have': {
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
    'no events, but the claim': { events: null },

    nothing: {
      iss: undefined,
      aud: undefined,
      sub: undefined,
      exp: undefined,
      iat: undefined,
    },
    'all of them of every object': `{"__proto__":${whole}}`,
    'all of them of a constructor': `{"constructor":{"prototype":${whole}}}`,
    'iss of every object': `{"__proto__":{"iss":"${issuer}"},${whole.slice(whole.indexOf('"aud"'))}`,
    'names that look the same': whole.replace('"iss"', '"іss"'),
    'names in capitals': whole.replace('"exp"', '"EXP"'),
    'a name with a space': whole.replace('"sub"', '"sub "'),
    'iss twice': whole.replace('{', '{"iss":"https://other.example",'),
    'iss twice, the same': whole.replace('{', `{"iss":"${issuer}",`),
    'exp twice': whole.replace('{', '{"exp":1,'),
    'aud twice': whole.replace('}', `,"aud":"other"}`),
    'sub twice, once escaped': whole.replace('{', '{"\\u0073ub":"admin",'),
    'a name twice further in': whole.replace('}', ',"user":{"role":"a","role":"b"}}'),
    'a name twice in a list': whole.replace('}', ',"x":[{"y":1,"y":2}]}'),
    '64 levels': whole.replace('}', `,"x":${'['.repeat(64)}${']'.repeat(64)}}`),
    '2000 levels': whole.replace('}', `,"x":${'['.repeat(2000)}${']'.repeat(2000)}}`),
    'a list': `[${whole}]`,
    'a text': JSON.stringify(whole),
    'a number': '42',
    null: 'null',
    'more after them': `${whole} {}`,
    'a mark before them': `\ufeff${whole}`,
    'a comma too many': whole.replace('}', ',}'),
    'a comment': whole.replace('{', '{/**/'),
    'single quotes': whole.replaceAll('"', "'"),
    'half of them': whole.slice(0, -10),
    'a token': forge.signer.token(header(forge), goodClaims),
  })
}

/** Claims that are as they should be, if only just. */
export function goodClaimSets(forge: Forge): readonly Vector[] {
  return withClaims(forge, {
    'no more than they have to be': { iat: undefined },
    'several audiences': { aud: ['other', audience] },
    'exp within the tolerance': { exp: now - 29 },
    'exp with a fraction': { exp: now + 0.5 },
    'exp in nine years': { exp: now + 9 * 365 * 86_400 },
    'nbf within the tolerance': { nbf: now + 30 },
    'nbf long ago': { nbf: 0 },
    'iat within the tolerance': { iat: now + 30 },
    'iat long ago': { iat: 0 },
    'an id': { jti: 'b4c1' },
    'others that are null': { nonce: null, scope: null },
    'what every object has': { toString: 'x', hasOwnProperty: 1 },
    'colons, braces and quotes in texts': { scope: 'a:b {"c":["d"]} \\" : \\\\' },
    'names of other letters': { 'naïve 名': 'ü' },
    '30 levels': JSON.stringify(goodClaims).replace(
      '}',
      `,"x":${'['.repeat(30)}${']'.repeat(30)}}`,
    ),
    'white space': JSON.stringify(goodClaims, undefined, 2),
  })
}
