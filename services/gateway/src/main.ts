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

// V8 gives memory back while an isolate allocates little, and takes a heap of its embedder in which
// nothing was ever allocated as one that allocates much. A script is allocated there.
// https://github.com/nodejs/node/issues/66564
setInterval(() => new Script(''), 5000).unref()
