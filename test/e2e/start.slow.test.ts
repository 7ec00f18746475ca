import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import { findFreePort } from '@svc/local/ports'
import t from 'tap'
import { call } from '../support/http.ts'
import { alive, answers, bearer, isReady, launch, processesOf, tokenPattern } from './launcher.ts'

t.test('starts, serves and ends', async (t) => {
  const data = join(t.testdir({}), 'data')
  const args = ['--port', '0', '--data', data]
  let token: string | undefined

  await t.test('prints JSON away from a terminal, with the first token once', async (t) => {
    const first = launch(t, args)
    const ready = await isReady(first)
    t.equal(first.output().match(/gateway is listening|Server listening/g)?.length, 1)
    token = ready.token
    t.match(token, /^svc_/)
    t.equal(first.output().match(tokenPattern)?.length, 1)
    const list = '/api/v1/namespaces/default/flags'
    t.equal((await call(ready.url, 'GET', list)).status, 401)
    t.equal((await call(ready.url, 'GET', list, undefined, bearer(token))).status, 200)
    t.equal((await call(ready.url, 'GET', '/docs')).status, 200)
    const login = await call(ready.url, 'POST', '/auth/v1/session', { token })
    t.match(login.headers.get('set-cookie'), /^svc_client_token=svc_[^;]+; Path=\/; HttpOnly/)
    t.notMatch(login.headers.get('set-cookie'), /Secure/, 'for it serves plain http')

    const processes = processesOf(data)
    t.equal(alive(processes).length, 5)
    first.send('SIGTERM')
    t.equal((await first.ended()).exitCode, 0)
    t.strictSame(alive(processes), [])
    t.equal(first.errors(), '')
  })

  await t.test('starts again, and keeps the secret', async (t) => {
    const second = launch(t, args)
    const { url } = await isReady(second)
    t.notMatch(second.output(), tokenPattern)
    t.equal((await call(url, 'GET', '/auth/v1/self', undefined, bearer(token))).status, 200)
    second.send('SIGINT')
    t.equal((await second.ended()).exitCode, 0)
  })

  await t.test('refuses a second start on the same data', async (t) => {
    const { url } = await isReady(launch(t, args))
    const other = launch(t, args)
    t.equal((await other.ended()).exitCode, 1)
    t.match(
      other.errors(),
      /^\S+ is in use by pid \d+, another npm start\. Stop it, or use --data DIR\.\n$/,
    )
    t.equal((await call(url, 'GET', '/readyz')).status, 200)
  })

  await t.test('starts after its predecessor was killed, on the same port', async (t) => {
    const fixed = ['--port', String(await findFreePort()), '--data', data]
    const killed = launch(t, fixed)
    await isReady(killed)
    const processes = processesOf(data)
    killed.send('SIGKILL')
    await killed.ended()
    await isReady(launch(t, fixed))
    t.strictSame(alive(processes), [])
  })

  await t.test('restarts what crashes', async (t) => {
    const launched = launch(t, args)
    const { url } = await isReady(launched)
    for (const name of ['gateway', 'auth', 'resource', 'postgres']) {
      process.kill(processesOf(data)[name] ?? 0, 'SIGKILL')
      const shown = name === 'postgres' ? 'PostgreSQL' : name
      await launched.says(new RegExp(`${shown} was ended by SIGKILL; starting it again in`))
      t.ok(await answers(url, token), `answers after the end of ${name}`)
    }
  })

  await t.test('ends with a sentence when its data is removed', async (t) => {
    const directory = join(t.testdir({}), 'data')
    const launched = launch(t, ['--port', '0', '--data', directory])
    await isReady(launched)
    const { postgres = 0 } = processesOf(directory)
    rmSync(directory, { recursive: true })
    process.kill(postgres, 'SIGKILL')
    t.equal((await launched.ended()).exitCode, 1)
    t.match(launched.errors(), /data\/postgres was removed while the service ran\.\n$/)
  })

  await t.test('ends at once when asked twice', async (t) => {
    const launched = launch(t, args)
    await isReady(launched)
    const processes = processesOf(data)
    process.kill(processes.gateway ?? 0, 'SIGSTOP')
    launched.send('SIGINT')
    // A second one counts after 400 ms, and without it all has ended after some 1600.
    await sleep(900)
    launched.send('SIGINT')
    t.equal((await launched.ended()).exitCode, 130)
    t.strictSame(await left(processes), [])
    const next = launch(t, args)
    await isReady(next)
    const postgresLog = readFileSync(join(data, 'postgres/postgres.log'), 'utf8')
    const lastStart = postgresLog.slice(postgresLog.lastIndexOf('starting PostgreSQL'))
    t.match(lastStart, /database system was interrupted/, 'the database was not waited for')
    next.send('SIGTERM')
    await next.ended()
  })

  await t.test('leaves nothing when it is ended while it starts', async (t) => {
    for (const delayMs of [50, 300, 700, 1200]) {
      const launched = launch(t, args)
      await sleep(delayMs)
      const processes = processesOf(data)
      launched.send('SIGINT')
      await launched.ended()
      t.strictSame(await left(processes), [], `after ${delayMs} ms`)
    }
    await isReady(launch(t, args))
  })

  await t.test(
    'starts from a copy that was made and unpacked as docs/operating.md says',
    async (t) => {
      const guide = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
      const [, section = ''] = guide.split('### Backup under npm start\n')
      const blocks = [...section.matchAll(/```sh\n([^`]*)```/g)].map(([, block = '']) => block)
      t.equal(blocks.length, 2)
      const directory = t.testdir({})
      const original = ['--port', '0', '--data', join(directory, '.data')]
      const first = launch(t, original)
      const { url, token: kept } = await isReady(first)
      const flag = { key: 'kept', name: 'Kept', type: 'BOOLEAN_FLAG_TYPE' }
      const flags = '/api/v1/namespaces/default/flags'
      await call(url, 'POST', flags, flag, bearer(kept))
      first.send('SIGINT')
      await first.ended()
      for (const block of blocks) execFileSync('bash', ['-euc', block], { cwd: directory })
      const restored = launch(t, ['--port', '0', '--data', join(directory, 'restored')])
      const again = await isReady(restored)
      t.equal(again.token, undefined)
      t.match((await call(again.url, 'GET', `${flags}/kept`, undefined, bearer(kept))).body, flag)
      t.equal(
        (await call(again.url, 'POST', flags, { ...flag, key: 'b' }, bearer(kept))).status,
        200,
      )
      // Both at the same time: they share nothing.
      await isReady(launch(t, original))
    },
  )

  await t.test('starts anew with --fresh', async (t) => {
    const fresh = launch(t, [...args, '--fresh'])
    const ready = await isReady(fresh)
    t.match(ready.token, tokenPattern)
    t.not(ready.token, token)
  })
})

t.test('uses another database when that is set', async (t) => {
  const data = join(t.testdir({}), 'data')
  const database = await createTestDatabase(t)
  const launched = launch(t, ['--port', '0', '--data', data], { SVC_DB_URL: database.url })
  const { url, token } = await isReady(launched)
  t.ok(await answers(url, token))
  t.notOk(existsSync(join(data, 'postgres')))
  launched.send('SIGINT')
  t.equal((await launched.ended()).exitCode, 0)
})

/** Which of them still run after a while: a database that is recovering does not end at once. */
async function left(processes: Readonly<Record<string, number>>): Promise<string[]> {
  const startedAt = performance.now()
  while (alive(processes).length > 0 && performance.now() - startedAt < 20_000) await sleep(50)
  return alive(processes)
}
