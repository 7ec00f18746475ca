import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { call } from '../support/http.ts'
import {
  alive,
  bearer,
  isReady,
  type Launched,
  launch,
  processesOf,
  tokenPattern,
} from './launcher.ts'

/** Waits for its end. @returns the token, which is all that it prints */
async function tokenOf(launched: Launched): Promise<string> {
  const { exitCode } = await launched.ended()
  if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${launched.errors()}`)
  const [token = '', ...more] = launched.output().split('\n')
  if (more.join('') !== '') throw new Error(`it prints more: ${launched.output()}`)
  return token
}

t.test('--new-token', async (t) => {
  const data = join(t.testdir({}), 'data')
  const args = ['--new-token', '--data', data]
  const self = async (url: string, token: string) =>
    (await call(url, 'GET', '/auth/v1/self', undefined, bearer(token))).status

  await t.test('makes nothing where there is no data', async (t) => {
    const launched = launch(t, args)
    t.equal((await launched.ended()).exitCode, 1)
    t.match(
      launched.errors(),
      /^There is no data in \S+ yet\. npm start makes it, and a first token\. /,
    )
    t.equal(launched.output(), '')
    t.notOk(existsSync(data))
  })

  await t.test('prints a token while the service runs, which keeps running', async (t) => {
    const running = launch(t, ['--port', '0', '--data', data])
    const { url, token: first = '' } = await isReady(running)
    const processes = processesOf(data)
    const token = await tokenOf(launch(t, args))
    t.match(token, tokenPattern)
    t.not(token, first)
    t.equal(await self(url, token), 200)
    t.equal(await self(url, first), 200, 'the others stay as they are')
    t.strictSame(processesOf(data), processes)
    t.equal(alive(processes).length, 5)
    running.send('SIGTERM')
    await running.ended()
  })

  await t.test('prints a token while it does not, and leaves nothing running', async (t) => {
    const launched = launch(t, args)
    const token = await tokenOf(launched)
    t.match(launched.errors(), /"msg":"created a token"/)
    t.strictSame(alive(processesOf(data)), [])
    t.notOk(existsSync(join(data, 'lock')))
    const { url } = await isReady(launch(t, ['--port', '0', '--data', data]))
    t.equal(await self(url, token), 200)
  })

  await t.test('uses the database that SVC_DB_URL names', async (t) => {
    const elsewhere = join(t.testdir({}), 'data')
    const env = { SVC_DB_URL: (await createTestDatabase(t)).url }
    const { url } = await isReady(launch(t, ['--port', '0', '--data', elsewhere], env))
    const token = await tokenOf(launch(t, ['--new-token', '--data', elsewhere], env))
    t.equal(await self(url, token), 200)

    const without = launch(t, ['--new-token', '--data', elsewhere])
    t.equal((await without.ended()).exitCode, 1)
    t.match(without.errors(), /^There is no data in \S+ yet\..* SVC_DB_URL/)
  })
})
