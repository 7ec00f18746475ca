import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'

// The limit itself is 20 s.
t.setTimeout(90_000)

const script = fileURLToPath(new URL('./process.test.support.js', import.meta.url))

t.test('a service whose work is never done ends all the same, and says so', async (t) => {
  const settings = { SVC_DB_URL: 'postgres://svc@127.0.0.1/svc', SVC_METRICS_PORT: '0' }
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...settings, SVC_SERVER_DRAIN: '0s', ENDING: 'never' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (child.stdout === null) throw new Error('it has no output')
  t.teardown(() => void child.kill('SIGKILL'))
  const output = text(child.stdout)
  const ended = once(child, 'close')
  await once(child, 'message')
  child.kill('SIGTERM')
  t.strictSame(await ended, [1, null])
  const lines = (await output).trim().split('\n')
  t.match(JSON.parse(lines.at(-1) ?? ''), {
    level: 'error',
    msg: 'ending with work that is not done',
  })
})
