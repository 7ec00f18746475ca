import { runProcess } from '@svc/runtime'
import { startGateway } from './gateway.ts'

await runProcess('gateway', { serve: startGateway })
