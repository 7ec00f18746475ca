import { isJwtShaped } from '@svc/access'
import { methodSection, methodSwitch, type Settings, type SettingsOf } from '@svc/config'
import { bool, duration, optional, secretText, section, textMap } from '@svc/config/kinds'
import { cleanup } from '../../credentials/settings.ts'

/** Longer than any token in use, and well within the 16 KiB that Node.js allows headers. */
const longestToken = 4096

const bootstrap = section({
  token: secretText(16, longestToken, 'FIRST_TOKEN').describe(
    'The first token, at least 16 characters; a random one when left out.',
  ),
  expiration: optional(duration(), '24h').describe(
    'How long the first token is valid; for ever when left out.',
  ),
  // No more than the interface accepts for other tokens.
  metadata: textMap(64, 8192)
    .refine((metadata) => !('io.svc.auth.token.namespace' in metadata), {
      error: 'cannot bind the first token to a namespace: then it could not make others',
    })
    .describe('Further metadata of the first token, as texts by key.'),
  force: bool(false).describe(
    'Whether a start creates a first token again after it was deleted or has expired.',
  ),
  log: bool(true).describe('Whether the first token is logged, once, as client_token.'),
})

const schema = section({
  enabled: methodSwitch('token').describe(
    'Whether static tokens can be created, and a first one is at the first start.',
  ),
  cleanup: cleanup('tokens'),
  bootstrap,
})

export type TokenSettings = SettingsOf<typeof schema>

export const tokenSection = methodSection(schema, ({ enabled, bootstrap }, all) => {
  const key = 'authentication.methods.token.bootstrap'
  const unused = (name: string, isGiven: boolean) => ({
    key: `${key}.${name}`,
    isMet: enabled || !isGiven,
    wrong: 'asks for a first token, but authentication.methods.token.enabled is false',
    remedy: 'Remove one of the two',
  })
  return [
    unused('token', bootstrap.token !== undefined),
    unused('expiration', bootstrap.expiration !== undefined),
    unused('force', bootstrap.force),
    {
      key: `${key}.log`,
      isMet: !enabled || bootstrap.log || bootstrap.token !== undefined,
      wrong: `is false, but ${key}.token is not set: the first token would be unknown`,
      remedy: 'Set the one or remove the other',
    },
    {
      key: `${key}.token`,
      isMet: !acceptsJwt(all) || !isJwtShaped(bootstrap.token?.reveal() ?? ''),
      wrong:
        'looks like a JWT, and would be taken for one, for authentication.methods.jwt.enabled is true',
      remedy: 'Choose one without dots',
    },
  ]
})

function acceptsJwt({ authentication }: Settings): boolean {
  return authentication.methods.jwt.enabled
}
