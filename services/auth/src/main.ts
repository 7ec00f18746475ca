import { assertionKeysOf, databaseUrl } from '@svc/config'
import { runProcess } from '@svc/process'
import { protectionOf } from '@svc/rpc'
import { startAuth } from './auth.ts'
import { authSettings } from './methods/methods.ts'
import { tokenCreateCommand } from './methods/token/create-command.ts'
import { migrateAuth } from './schema.ts'

await runProcess({
  name: 'auth',
  about: 'decides who is calling.',
  settings: authSettings,
  needs: [protectionOf, assertionKeysOf, databaseUrl],
  commands: {
    serve: { about: 'starts the service', prepare: () => startAuth },
    migrate: { about: 'brings the database up to date and ends', prepare: () => migrateAuth },
    'token create': tokenCreateCommand,
  },
})
