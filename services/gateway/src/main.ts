import { Script } from 'node:vm'
import { sharedSettings } from '@svc/config'
import { runProcess } from '@svc/process'
import { protectionOf } from '@svc/rpc'
import { startGateway } from './gateway.ts'

await runProcess({
  name: 'gateway',
  about: 'serves HTTP, knows callers and evaluates flags.',
  settings: sharedSettings,
  needs: [protectionOf],
  commands: {
    serve: { about: 'starts the service', prepare: () => startGateway },
  },
})
setInterval(() => new Script(''), 5000).unref() // Else V8 keeps garbage: nodejs/node#66564.
