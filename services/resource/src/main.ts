import { runProcess } from '@svc/runtime'
import { migrateResource, startResource } from './resource.ts'

await runProcess('resource', { serve: startResource, migrate: migrateResource })
