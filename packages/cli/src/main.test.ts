import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { serve } from './run.test.support.ts'

const program = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url))

/** Starts a process whose stdout or stderr nothing reads. */
function startWithout(t: Test, name: 'stdout' | 'stderr', argv: readonly string[]) {
  const env = { ...process.env, XDG_CONFIG_HOME: '/nonexistent' }
  const child = spawn(process.execPath, [program, ...argv], { env })
  child[name].destroy()
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return { child, code: closed.then(([code]) => code as number | null) }
}

t.test('without a reader of stderr a command does what it is for', async (t) => {
  const { url, requests } = await serve(t, () => ({ status: 403 }))
  // An argument with a token is warned of before anything is sent.
  const argv = ['flags', 'on', 'checkout', '--url', url, '--token', 'svc_x']
  t.equal(await startWithout(t, 'stderr', argv).code, 5)
  t.equal(requests.length, 1)
})

t.test('without a reader of stdout', async (t) => {
  await t.test('what is written goes on', async (t) => {
    const items = [{ kind: 'FLAG_KIND', key: 'a', action: 'CREATED_ACTION', changes: [] }]
    const writes = Promise.withResolvers<string>()
    let written = 0
    const { url } = await serve(t, ({ path, body }) => {
      if (path.includes('/propagation')) return { body: { gateways: 1, reached: 1, settled: true } }
      if (!path.endsWith('/apply')) return { body: { key: 'default' } }
      const isWrite = Reflect.get(Object(body), 'dryRun') !== true
      if (isWrite && ++written === 2) writes.resolve('written')
      return { body: { plan: 'p', items, unchanged: 0, revision: 7 } }
    })
    const folder = t.testdir({ 'a.yml': 'flags:\n- {key: a, name: A}\n' })
    const argv = ['sync', folder, '--manager', 'm', '--watch', '1s', '--url', url]
    const { child, code } = startWithout(t, 'stdout', argv)
    t.equal(await Promise.race([writes.promise, code]), 'written')
    child.kill('SIGTERM')
    t.equal(await code, 0)
  })

  await t.test('what only prints ends', async (t) => {
    const answer = { type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse: { enabled: true } }
    const { url } = await serve(t, () => ({ body: { responses: [answer] } }))
    const argv = ['evaluate', 'checkout', '--watch', '-i', '50ms', '--url', url]
    t.equal(await startWithout(t, 'stdout', argv).code, 0)
  })
})
