import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadDemo } from '@svc/local/demo'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startChromium } from '../support/chromium.ts'
import { listen } from '../support/listen.ts'
import { readPrograms } from '../support/openfeature-programs.ts'
import { emptyFolder, packForTests } from '../support/packages.ts'
import { startStack } from '../support/stack.ts'

const run = promisify(execFile)

/** What else a page may do: it is told of changes, and has other users. */
const more = `
import { ProviderEvents } from '@openfeature/web-sdk'
client.addHandler(ProviderEvents.ConfigurationChanged, () => {
  console.log('changed', client.getBooleanValue('new-checkout', false))
})
globalThis.login = async (user) => {
  await OpenFeature.setContext(user)
  console.log('context', client.getBooleanValue('new-checkout', false))
}
`

t.test('the programs of docs/openfeature.md, with the packed packages', async (t) => {
  const packages = await packForTests(t)
  let script = ''
  const server = createServer(({ url }, response) => {
    const isScript = url === '/app.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!doctype html><script type="module" src="app.js"></script>')
  })
  const origin = `http://127.0.0.1:${await listen(t, server)}`
  const { urls, token, api, createNamespacedToken } = await startStack(t, {
    env: {
      SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true',
      SVC_CORS_ENABLED: 'true',
      SVC_CORS_ALLOWED_ORIGINS: origin,
    },
  })
  const [url] = urls
  await loadDemo(url, token)
  const folder = await emptyFolder(t)
  await packages.install(folder, '@svc/openfeature')
  const [ofServer, ofPage] = readPrograms(url)

  for (const node of ['node', process.execPath]) {
    await t.test(`on a server, by ${node}`, async (t) => {
      const env = {
        ...process.env,
        SVC_URL: url,
        SVC_TOKEN: await createNamespacedToken('default'),
      }
      await writeFile(join(folder, 'main.mjs'), ofServer?.text ?? '')
      const options = { cwd: folder, env, timeout: 30_000 }
      t.equal((await run(node, ['main.mjs'], options)).stdout, ofServer?.output)
    })
  }

  await t.test('in a page', async (t) => {
    await writeFile(join(folder, 'app.mjs'), (ofPage?.text ?? '') + more)
    const esbuild = new URL('../../../deploy/npm/node_modules/esbuild/bin/esbuild', import.meta.url)
    const args = ['app.mjs', '--bundle', '--format=esm', '--outfile=out.js', '--log-level=error']
    await run(fileURLToPath(esbuild), args, { cwd: folder })
    script = await readFile(join(folder, 'out.js'), 'utf8')
    t.notMatch(script, /node:/, 'nothing of Node.js')

    const chromium = await startChromium(t)
    const context = await chromium.newContext({ bypassCSP: false })
    t.teardown(() => context.close())
    const page = await context.newPage()
    const printed: string[] = []
    page.on('console', (message) => printed.push(message.text()))
    page.on('pageerror', ({ message }) => printed.push(message))
    await page.goto(origin)
    await waitFor(() => printed.length === 2)
    t.equal(`${printed.join('\n')}\n`, ofPage?.output)

    // Serialized, for it is run by the page.
    await page.evaluate("login({ targetingKey: 'user-10', plan: 'free' })")
    t.strictSame(printed.slice(2), ['context false'])
    const flag = { name: 'New checkout', enabled: true }
    await api('PUT', '/api/v1/namespaces/default/flags/new-checkout', flag)
    await waitFor(() => printed.length === 4)
    t.strictSame(printed.slice(3), ['changed true'])
  })
})
