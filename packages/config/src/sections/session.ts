import { z } from 'zod'
import { origin } from '../kinds/network.ts'
import { bool, duration, listOf, text } from '../kinds/values.ts'

export const sessionSection = z.strictObject({
  domain: text('a domain, without scheme and port', (value) => /^[a-z0-9.-]{1,253}$/i.test(value))
    .optional()
    .meta({
      description: 'The Domain of the cookies; without one they go to this host only.',
      example: 'example.com',
    }),
  insecure: bool()
    .prefault(false)
    .describe('Whether cookies go over plain http as well; for one machine only.'),
  tokenLifetime: duration().prefault('24h').describe('Maximum lifetime of a session.'),
  idleTimeout: duration()
    // Gateways report uses once a minute.
    .refine((ms) => ms >= 300_000, { error: 'must be at least 5m' })
    .optional()
    .meta({
      description: 'A session without a request for this long ends, 5m or more; never if left out.',
      example: '2h',
    }),
  stateLifetime: duration(3_600_000)
    .prefault('10m')
    .describe('How long a login at an identity provider may take.'),
  csrf: z.strictObject({
    trustedOrigins: listOf(origin())
      .prefault([])
      .describe('Other origins whose pages may change things with the cookie.'),
  }),
})
