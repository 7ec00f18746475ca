import { z } from 'zod'
import { secretText } from '../kinds/secrets.ts'
import { bool, listOf, path, text } from '../kinds/values.ts'
import type { Requirement } from '../requirements.ts'
import type { Settings } from '../schema.ts'

/** At least as many characters as 128 random bits have in hexadecimal digits. */
const sharedSecret = (variable: string, description: string) =>
  secretText(32, 4096).meta({ description, example: `\${${variable}}` })

const optionalPath = (description: string, example: string) =>
  path().optional().meta({ description, example })

export const internalSection = z.strictObject({
  secret: sharedSecret(
    'INTERNAL_SECRET',
    'The shared secret by which the three services authenticate each other.',
  ),
  previousSecret: sharedSecret(
    'PREVIOUS_INTERNAL_SECRET',
    'The secret before it, accepted as well during a rotation.',
  ),
  assertionKey: sharedSecret(
    'ASSERTION_KEY',
    'The key of auth and resource alone, with which auth signs who is calling.',
  ),
  previousAssertionKey: sharedSecret(
    'PREVIOUS_ASSERTION_KEY',
    'The key before it, accepted as well during a rotation.',
  ),
  tls: z.strictObject({
    caFile: optionalPath(
      'The CA certificates, in PEM, by which the services verify each other: mTLS.',
      '/run/secrets/internal/ca.pem',
    ),
    certFile: optionalPath(
      'The certificate of this service, in PEM.',
      '/run/secrets/internal/tls.crt',
    ),
    keyFile: optionalPath('The key that belongs to it, in PEM.', '/run/secrets/internal/tls.key'),
    callers: listOf(text('the name of a host', (name) => /^[A-Za-z0-9._-]{1,253}$/.test(name)))
      .prefault(['gateway'])
      .describe('The DNS names in client certificates that auth and resource accept.'),
  }),
  insecure: bool()
    .prefault(false)
    .describe('Whether calls need neither secret nor mTLS, which is for one machine only.'),
})

export function internalRequirements({ internal }: Settings): Requirement[] {
  const { secret, assertionKey, tls } = internal
  const files = [tls.caFile, tls.certFile, tls.keyFile].filter((file) => file !== undefined)
  return [
    {
      key: 'internal.assertion_key',
      isMet: secret === undefined || assertionKey?.reveal() !== secret.reveal(),
      wrong: 'is the same as internal.secret, which gateways know: they could vouch for any caller',
      remedy: 'Make another',
    },
    {
      key: 'internal.tls.ca_file',
      isMet: files.length === 0 || files.length === 3,
      wrong: 'needs cert_file and key_file, and they need it: both peers present a certificate',
      remedy: 'Give all three or none',
    },
  ]
}
