// A service of process.test.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseUrl, sharedSettings } from '@svc/config'
import { invalidArgument } from '@svc/runtime'
import { runProcess } from './process.ts'

await runProcess({
  name: 'pretender',
  about: 'pretends to be a service.',
  settings: sharedSettings,
  needs: [databaseUrl],
  commands: {
    serve: {
      about: 'starts the service',
      prepare: () => async () => {
        const listening = new AbortController()
        void sleep(60_000, undefined, listening).catch(() => {})
        return { port: 4711, close: async () => listening.abort() }
      },
    },
    'cup fill': {
      about: 'fills a cup and prints what is in it',
      usage: '--drink NAME',
      options: { drink: { type: 'string' } },
      writesResult: true,
      prepare: ({ drink }) => {
        if (drink === undefined) throw invalidArgument('--drink is missing')
        return async ({ log }) => {
          log.info({ drink }, 'filled a cup')
          process.stdout.write(`${drink}\n`)
          return undefined
        }
      },
    },
  },
})
