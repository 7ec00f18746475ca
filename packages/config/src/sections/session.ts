import { z } from 'zod'
import { origin } from '../kinds/network.ts'
import { bool, duration, listOf, optional, text } from '../kinds/values.ts'

const domain = text('a domain, without scheme and port', (value) =>
  /^[a-z0-9.-]{1,253}$/i.test(value),
)

/** Gateways report uses once a minute. */
const idleTimeout = duration().refine((ms) => ms >= 300_000, { error: 'must be at least 5m' })

export const sessionSection = z.strictObject({
  domain: optional(domain, 'example.com').describe(
    'The Domain of the cookies; without one they go to this host only.',
  ),
  insecure: bool(false).describe('Whether cookies go over plain http too; for one machine only.'),
  tokenLifetime: duration().prefault('24h').describe('Maximum lifetime of a session.'),
  idleTimeout: optional(idleTimeout, '2h').describe(
    'A session without a request for this long ends, 5m or more; never if left out.',
  ),
  stateLifetime: duration(3_600_000)
    .prefault('10m')
    .describe('How long a login at an identity provider may take.'),
  csrf: z.strictObject({
    trustedOrigins: listOf(origin()).describe(
      'Other origins whose pages may change things with the cookie.',
    ),
  }),
})
