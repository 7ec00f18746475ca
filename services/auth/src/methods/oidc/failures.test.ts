import * as client from 'openid-client'
import t from 'tap'
import { reasonOf, toRefusal } from './failures.ts'

t.test('a provider that does not accept our credentials is named as such', async (t) => {
  const response = new Response('{}', { status: 401 })
  const cause = [{ scheme: 'basic' as const, parameters: { realm: 'a-secret' } }]
  const error = new client.WWWAuthenticateChallengeError('any', { cause, response })
  t.equal(reasonOf(error), 'the provider answers 401 (WWWAuthenticateChallengeError)')
  t.match(toRefusal(error), { code: 'unavailable' })
})
