import { join } from 'node:path'
import t from 'tap'
import { isReady, launch } from '../e2e/launcher.ts'

/** From the start of the command to a service that answers, when the data is there already. */
const startMs = 5000
const endMs = 5000

t.test('npm start starts again, and ends, within seconds', async (t) => {
  const args = ['--port', '0', '--data', join(t.testdir({}), 'data')]
  for (const attempt of ['first', 'second', 'third']) {
    const before = performance.now()
    const launched = launch(t, args)
    await isReady(launched)
    const readyMs = performance.now() - before
    t.comment(`${attempt} start: ${readyMs.toFixed(0)} ms`)
    // The first one makes the database.
    if (attempt !== 'first') t.ok(readyMs < startMs, `took ${readyMs} ms`)
    const asked = performance.now()
    launched.send('SIGINT')
    t.equal((await launched.ended()).exitCode, 0)
    t.ok(performance.now() - asked < endMs)
  }
})
