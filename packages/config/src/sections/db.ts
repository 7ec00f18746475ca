import { z } from 'zod'
import { secretUrl } from '../kinds/secrets.ts'
import { bool, whole } from '../kinds/values.ts'

const schemes = ['postgres', 'postgresql'] as const

export const dbSection = z.strictObject({
  url: secretUrl('postgres://user:password@host:5432/name', ...schemes).meta({
    description: 'The PostgreSQL database; the auth and resource services need it.',
    example: 'postgres://svc:password@127.0.0.1:5432/svc',
  }),
  ownerUrl: secretUrl('postgres://owner:password@host:5432/name', ...schemes).meta({
    description: 'The URL for migrations; they grant the user of db.url what it needs.',
    example: 'postgres://owner:password@127.0.0.1:5432/svc',
  }),
  maxConnections: whole(1, 1000).prefault(10).describe('Maximum connections of each service.'),
  autoMigrate: bool(true).describe('Whether a service migrates its own tables when it starts.'),
})
