import type { MethodDescription } from '@svc/client/api'
import t from 'tap'
import { waysIn } from './methods.ts'

const method = (
  method: MethodDescription['method'],
  enabled: boolean,
  metadata?: MethodDescription['metadata'],
): MethodDescription => ({
  method,
  enabled,
  sessionCompatible: true,
  ...(metadata && { metadata }),
})

t.test('each provider is a way in, with the address that is registered there', async (t) => {
  const ways = waysIn(
    [
      method('METHOD_TOKEN', true),
      method('METHOD_CODEHOST', true, { callback_url: '/auth/v1/method/codehost/callback' }),
      method('METHOD_OIDC', true, {
        providers: {
          keycloak: {
            display_name: 'Company',
            callback_url: '/auth/v1/method/oidc/keycloak/callback',
          },
          plain: { callback_url: '/auth/v1/method/oidc/plain/callback' },
        },
      }),
      method('METHOD_JWT', false),
      method('METHOD_NONE', false),
      method('METHOD_CLOUD', false),
    ],
    'https://flags.example.com/tools',
  )
  t.strictSame(
    ways.map(({ kind, name, isOn, callbackUrl }) => [kind, name, isOn, callbackUrl]),
    [
      ['METHOD_TOKEN', '', true, undefined],
      [
        'METHOD_CODEHOST',
        '',
        true,
        'https://flags.example.com/tools/auth/v1/method/codehost/callback',
      ],
      [
        'METHOD_OIDC',
        'Company',
        true,
        'https://flags.example.com/tools/auth/v1/method/oidc/keycloak/callback',
      ],
      [
        'METHOD_OIDC',
        'plain',
        true,
        'https://flags.example.com/tools/auth/v1/method/oidc/plain/callback',
      ],
      ['METHOD_JWT', '', false, undefined],
    ],
  )
})

t.test('one that is off has no address to register', async (t) => {
  const [codehost, oidc] = waysIn(
    [
      method('METHOD_CODEHOST', false, { callback_url: '/x' }),
      method('METHOD_OIDC', false, { providers: {} }),
    ],
    'https://flags.example.com',
  )
  t.match(codehost, { isOn: false, callbackUrl: undefined })
  t.match(oidc, { kind: 'METHOD_OIDC', name: '', isOn: false })
})
