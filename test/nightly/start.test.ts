import { join } from 'node:path'
import t from 'tap'
import { isReady, launch } from '../e2e/launcher.ts'
import { call } from '../support/http.ts'

/** From the start of the command to a service that answers, when the data is there already. */
const startMs = 5000
const endMs = 5000
/** … and to a page of the interface, with all that it loads at first. */
const pageMs = 10_000

async function loadPage(url: string): Promise<void> {
  const page = await call(url, 'GET', '/', undefined, { accept: 'text/html' })
  const names = [...page.text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)]
  if (names.length < 3) throw new Error(`this is not the page: ${page.text.slice(0, 200)}`)
  await Promise.all(names.map(([, name]) => call(url, 'GET', `/${name}`)))
}

t.test('npm start starts again, and ends, within seconds', async (t) => {
  const args = ['--port', '0', '--data', join(t.testdir({}), 'data')]
  for (const attempt of ['first', 'second', 'third']) {
    const before = performance.now()
    const launched = launch(t, args)
    const { url } = await isReady(launched)
    const readyMs = performance.now() - before
    await loadPage(url)
    const loadedMs = performance.now() - before
    t.comment(`${attempt} start: ${readyMs.toFixed(0)} ms, page: ${loadedMs.toFixed(0)} ms`)
    // The first one makes the database.
    if (attempt !== 'first') {
      t.ok(readyMs < startMs, `took ${readyMs} ms`)
      t.ok(loadedMs < pageMs, `the page took ${loadedMs} ms`)
    }
    const asked = performance.now()
    launched.send('SIGINT')
    t.equal((await launched.ended()).exitCode, 0)
    t.ok(performance.now() - asked < endMs)
  }
})
