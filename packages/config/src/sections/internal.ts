import { z } from 'zod'
import { secretText } from '../kinds/secrets.ts'
import { bool, listOf, optional, path, text } from '../kinds/values.ts'
import type { Requirement } from '../requirements.ts'
import type { Settings } from '../schema.ts'

/** At least as many characters as 128 random bits have in hexadecimal digits. */
const sharedSecret = (variable: string) => secretText(32, 4096, variable)

export const internalSection = z.strictObject({
  secret: sharedSecret('INTERNAL_SECRET').describe(
    'The shared secret by which the three services authenticate each other.',
  ),
  previousSecret: sharedSecret('PREVIOUS_INTERNAL_SECRET').describe(
    'The secret before it, accepted as well during a rotation.',
  ),
  assertionKey: sharedSecret('ASSERTION_KEY').describe(
    'The key of auth and resource alone, with which auth signs who is calling.',
  ),
  previousAssertionKey: sharedSecret('PREVIOUS_ASSERTION_KEY').describe(
    'The key before it, accepted as well during a rotation.',
  ),
  tls: z.strictObject({
    caFile: optional(path(), '/run/secrets/internal/ca.pem').describe(
      'The CA certificates, in PEM, by which the services verify each other: mTLS.',
    ),
    certFile: optional(path(), '/run/secrets/internal/tls.crt').describe(
      'The certificate of this service, in PEM.',
    ),
    keyFile: optional(path(), '/run/secrets/internal/tls.key').describe(
      'The key that belongs to it, in PEM.',
    ),
    callers: listOf(
      text('the name of a host', (name) => /^[A-Za-z0-9._-]{1,253}$/.test(name)),
      ['gateway'],
    ).describe('The DNS names in client certificates that auth and resource accept.'),
  }),
  insecure: bool(false).describe(
    'Whether calls need neither secret nor mTLS, which is for one machine only.',
  ),
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
