import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { startChromium } from '../support/chromium.ts'
import { copyFiles, type Example, openExample } from '../support/examples.ts'
import type { Request } from '../support/http.ts'
import { type Packages, packForTests } from '../support/packages.ts'
import { startStack } from '../support/stack.ts'

/** Where documents have the service, and the page. */
const service = 'http://localhost:8080'
const development = 'localhost:5173'

const texts = { true: 'The new checkout', false: 'The old checkout' }

t.test('what is printed for pages', async (t) => {
  const packages = await packForTests(t)
  const chromium = await startChromium(t)

  await t.test('browser', async (t) => {
    // On any free port, which is the origin that the service lets ask.
    const replaced: Record<string, string> = { [development]: '127.0.0.1:0' }
    const example = await openPage(t, 'browser', packages, replaced)
    const serve = example.start(lineOf(example, 'npx esbuild'))
    replaced[development] = new URL(await serve.tells(/(http:\/\/127\.0\.0\.1:\d+)/)).host
    const [settings = ''] = example.blocks('sh')
    const { urls, api } = await startStack(t, { env: readEnv(settings) })
    await replaceIn(join(example.folder, 'page.js'), service, urls[0])
    await checkPage(t, { chromium, api, url: `http://${replaced[development]}` })
  })

  await t.test('a page with a token says in its console, once, that all can read it', async (t) => {
    const replaced: Record<string, string> = { [development]: '127.0.0.1:0' }
    const example = await openPage(t, 'browser', packages, replaced)
    const serve = example.start(lineOf(example, 'npx esbuild'))
    const origin = await serve.tells(/(http:\/\/127\.0\.0\.1:\d+)/)
    const env = { SVC_CORS_ENABLED: 'true', SVC_CORS_ALLOWED_ORIGINS: origin }
    const { urls, token } = await startStack(t, { env })
    const page = withToken.replace(service, urls[0]).replace('TOKEN', token)
    await writeFile(join(example.folder, 'page.js'), page)
    const context = await chromium.newContext()
    t.teardown(() => context.close())
    const tab = await context.newPage()
    const said: string[] = []
    tab.on('console', (message) => said.push(`${message.type()}: ${message.text()}`))
    await tab.goto(origin)
    await tab.locator('#checkout', { hasText: 'connected' }).waitFor()
    t.match(said, [
      /^error: .*a token that each of its visitors can read, and that may change flags/,
    ])
    t.equal(said.length, 1)
    t.notOk(said.join().includes(token))
  })

  await t.test('browser-through-server', async (t) => {
    const example = await openPage(t, 'browser-through-server', packages, {})
    const { urls, token, api } = await startStack(t)
    await example.start(lineOf(example, 'npx esbuild')).ended()
    const env = { SVC_TOKEN: token, SVC_URL: urls[0], PORT: '0' }
    const server = example.start('node server.mjs', env)
    const url = await server.says(/^ready: (.*)$/m)
    await checkPage(t, { chromium, api, url, token })
    for (const path of ['/api/v1/namespaces', '/ofrep/v1/namespaces/other/events', '/server.mjs']) {
      t.equal((await fetch(url + path)).status, 404, path)
    }
    t.equal(server.errors(), '')
  })
})

/** A page that holds a token, which no page should. */
const withToken = `
  import { connect } from '@svc/client'
  const options = { url: 'http://localhost:8080', credential: { token: 'TOKEN' } }
  for (let i = 0; i < 2; i++) await connect(options)
  document.querySelector('#checkout').textContent = 'connected'
`

interface PageOptions {
  readonly chromium: Awaited<ReturnType<typeof startChromium>>
  readonly api: Request
  readonly url: string
  /** What must not be in the page. */
  readonly token?: string
}

/** A page shows what its user gets, another user, and a change. */
async function checkPage(t: Test, { chromium, api, url, token }: PageOptions): Promise<void> {
  const users = await makeFlag(api)
  const context = await chromium.newContext({ bypassCSP: false })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('request', (request) => {
    const { authorization, cookie } = request.headers()
    if (authorization ?? cookie) problems.push(`a credential for ${request.url()}`)
  })
  const checkout = page.locator('#checkout')
  const shows = (value: boolean) => checkout.filter({ hasText: texts[`${value}`] }).waitFor()

  await page.goto(url)
  for (const [user, value] of users) {
    await page.locator('#user').fill(user)
    await page.locator('#user').blur()
    await shows(value)
  }
  // For all users, which the page shows without being loaded again.
  await api('PUT', '/api/v1/flags/checkout', { name: 'Checkout', enabled: true })
  await shows(true)
  t.strictSame(problems, [])
  if (token !== undefined) t.notOk((await page.content()).includes(token))
}

/** Makes a flag that half of all users get. @returns one who does not, one who does, and one who does not */
async function makeFlag(
  api: Request,
): Promise<readonly (readonly [user: string, value: boolean])[]> {
  const flag = { key: 'checkout', name: 'Checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: false }
  await api('POST', '/api/v1/namespaces/default/flags', flag)
  const threshold = { percentage: 50, value: true }
  await api('POST', '/api/v1/namespaces/default/flags/checkout/rollouts', { rank: 1, threshold })
  const users = Array.from({ length: 20 }, (_, i) => `user-${i}`)
  const values = await Promise.all(
    users.map(async (entityId) => {
      const { body } = await api('POST', '/evaluate/v1/boolean', { flagKey: 'checkout', entityId })
      return [entityId, (body as { enabled: boolean }).enabled] as const
    }),
  )
  const [on, off] = [true, false].map((wanted) => values.filter(([, value]) => value === wanted))
  const chosen = [off?.[0], on?.[0], off?.[1]].filter((one) => one !== undefined)
  if (chosen.length < 3) throw new Error('half of the users are not half of them')
  return chosen
}

/** The example of a page, with what it installs. */
async function openPage(
  t: Test,
  name: string,
  packages: Packages,
  replaced: Readonly<Record<string, string>>,
): Promise<Example> {
  const document = `deploy/examples/${name}/README.md`
  const example = await openExample(t, document, replaced)
  await copyFiles(document, example.folder)
  await packages.install(example.folder, '@svc/client')
  const modules = join(example.folder, 'node_modules')
  const esbuild = new URL('../../../deploy/npm/node_modules/esbuild/', import.meta.url)
  await symlink(fileURLToPath(esbuild), join(modules, 'esbuild'))
  await mkdir(join(modules, '.bin'), { recursive: true })
  await symlink('../esbuild/bin/esbuild', join(modules, '.bin', 'esbuild'))
  return example
}

function lineOf(example: Example, start: string): string {
  const lines = example.lines().filter((line) => line.startsWith(start))
  if (lines.length !== 1) throw new Error(`${lines.length} lines begin with ${start}`)
  return lines[0] ?? ''
}

/** `NAME=value` before a command. */
function readEnv(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/\b(SVC_\w+)=(\S*)/g)].map(([, name, value]) => [name, value]),
  )
}

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${from} is not in ${file}`)
  await writeFile(file, text.replaceAll(from, to))
}
