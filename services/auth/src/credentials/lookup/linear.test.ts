import { findSuperlinear } from '@svc/runtime/testing'
import t from 'tap'
import { readCompact } from '../../methods/jwt/compact.ts'
import { toLocalPath } from '../../methods/login/flow.ts'
import { open } from '../../methods/login/seal.ts'
import { readAudiences, readExpiry } from '../../methods/orchestrator/service-account-token.ts'
import { loginCookies } from '../browser.ts'
import { parsePageToken } from '../records/pages.ts'
import { isPlausible } from '../records/token.ts'

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64url')
const jwt = (claims: string) => `${base64('{"alg":"ES256"}')}.${base64(claims)}.c2ln`
const browserWith = (cookies: string) => ({ get: () => cookies, addTrailer: () => {} })

/** What reads a credential, or what a browser brings, before it has proved to be good. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a token': isPlausible,
  'a JWT': readCompact,
  'the claims of a JWT': (text) => readCompact(jwt(text)),
  'a text in the claims of a JWT': (text) => readCompact(jwt(`{"a":"${text}"}`)),
  'a list in the claims of a JWT': (text) => readCompact(jwt(`{"a":[${text}0]}`)),
  'members in the claims of a JWT': (text) => readCompact(jwt(`{${text}"b":1}`)),
  'the token of a service account': (text) => [readExpiry(jwt(text)), readAudiences(jwt(text))],
  'the cookies of logins': (text) => loginCookies(browserWith(text)).size,
  'a sealed text': (text) => open([Buffer.alloc(32)], '', text),
  'where to go after a login': toLocalPath,
  'where a page begins': parsePageToken,
}

/** What texts are made of that parsers are known to take long for. */
const pieces =
  'a| |\t|,|, |;|; |=|a=b; |"|",|\\|\\"|\\\\|:|"a":1,|.|a.|1|1,|-|_|/|//|[|[],|{|{"a":|%|%25|\xff'

for (const [name, read] of Object.entries(readers)) {
  t.test(`what it takes to read ${name} grows as its length does`, async (t) => {
    t.strictSame(findSuperlinear(read, pieces.split('|'), 700), [])
  })
}
