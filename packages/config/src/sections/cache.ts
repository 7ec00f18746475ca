import { z } from 'zod'
import { secretUrl } from '../kinds/secrets.ts'
import { duration, text } from '../kinds/values.ts'

const prefix = text('1 to 64 letters, digits or any of . _ : -', (prefix) =>
  /^[A-Za-z0-9._:-]{1,64}$/.test(prefix),
)

export const cacheSection = z.strictObject({
  maxStale: duration()
    .prefault('2m')
    .describe('How long evaluation accepts known tokens while auth cannot be reached.'),
  redis: z.strictObject({
    url: secretUrl('redis://:password@host:6379/0', 'redis', 'rediss').meta({
      description: 'A Redis that caches token lookups; without one each process has its own cache.',
      example: 'redis://127.0.0.1:6379/0',
    }),
    prefix: prefix.prefault('svc').describe('Prefix of the name of every Redis key and channel.'),
  }),
})
