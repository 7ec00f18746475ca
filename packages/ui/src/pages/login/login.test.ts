import t from 'tap'
import { providersOf } from './providers.ts'
import { readLoginSearch } from './search.ts'

t.test('the page to come back to is one of this site', async (t) => {
  t.equal(readLoginSearch({ back: '/ns/shop/flags?q=a' }).back, '/ns/shop/flags?q=a')
  for (const back of [
    '//elsewhere.example',
    '/\\elsewhere.example',
    'https://elsewhere.example',
    7,
  ]) {
    t.equal(readLoginSearch({ back }).back, undefined)
  }
})

t.test('why a login has failed is one of our texts, whatever the URL says', async (t) => {
  t.equal(readLoginSearch({ error: 'declined' }).error, 'declined')
  t.equal(readLoginSearch({ error: 'Call 555-0100 to unlock' }).error, 'failed')
  for (const error of [undefined, '', 7]) t.equal(readLoginSearch({ error }).error, undefined)
})

t.test('there is a button for each way to sign in that is enabled', async (t) => {
  const usual = { enabled: true, sessionCompatible: true }
  const { providers, hasToken } = providersOf([
    { ...usual, method: 'METHOD_TOKEN' },
    {
      ...usual,
      method: 'METHOD_OIDC',
      metadata: {
        providers: {
          staff: { authorize_url: '/auth/v1/method/oidc/staff/authorize', display_name: 'Staff' },
          partners: { authorize_url: '/auth/v1/method/oidc/partners/authorize' },
        },
      },
    },
    { ...usual, enabled: false, method: 'METHOD_CODEHOST', metadata: { authorize_url: '/x' } },
    { ...usual, sessionCompatible: false, method: 'METHOD_JWT' },
  ])
  t.ok(hasToken)
  t.strictSame(
    providers.map(({ name }) => name),
    ['Staff', 'partners'],
  )
})

t.test('a text in the place of a request id is not shown', async (t) => {
  t.equal(readLoginSearch({ error: 'failed', request: 'Call us: your token' }).request, undefined)
  t.equal(readLoginSearch({ error: 'failed', request: '10a8-b' }).request, '10a8-b')
})
