import { assertionKeysOf, databaseUrl, sharedSettings } from '@svc/config'
import { runProcess } from '@svc/process'
import { protectionOf } from '@svc/rpc'
import { migrateResource, startResource } from './resource.ts'

await runProcess({
  name: 'resource',
  about: 'keeps namespaces, flags and segments.',
  settings: sharedSettings,
  needs: [protectionOf, assertionKeysOf, databaseUrl],
  commands: {
    serve: { about: 'starts the service', prepare: () => startResource },
    migrate: { about: 'brings the database up to date and ends', prepare: () => migrateResource },
  },
})
