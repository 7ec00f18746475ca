// A service of process.slow.test.ts.
import { once } from 'node:events'
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
      prepare:
        () =>
        async ({ onWait }) => {
          if (process.env.STARTING === 'told') {
            onWait?.('the cup is empty')
            await once(process, 'message')
            onWait?.(undefined)
            await once(process, 'message')
          }
          if (process.env.FAILING === 'told') {
            process.once('message', () => {
              throw new Error('the cup is broken')
            })
          }
          const listening = new AbortController()
          void sleep(60_000, undefined, listening).catch(() => {})
          const close = async () => {
            // As a service whose work is never done, or fails.
            if (process.env.ENDING === 'never') await sleep(60_000)
            if (process.env.ENDING === 'failing') throw new Error('the cup is stuck')
            listening.abort()
          }
          // Until the parent says so, or never.
          const drain = async () => {
            if (process.env.DRAINING === 'told') await once(process, 'message')
            if (process.env.DRAINING === 'never') await sleep(60_000)
          }
          return { port: 4711, drain, close }
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
