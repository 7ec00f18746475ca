import { runProcess } from '@svc/runtime'
import { migrateAuth, startAuth } from './auth.ts'

await runProcess('auth', { serve: startAuth, migrate: migrateAuth })
