import type { Page } from 'playwright-core'

/** What a page may do to have a browser send a request of its choice. */
export interface Attack {
  readonly name: string
  /** @param target where the service is */
  run(page: Page, target: string): Promise<void>
}

/** What makes a namespace and a token; the end is what a form adds between a name and its value. */
const namespace = '{"key":"made-by-another-site","name":"x","description":"="}'
const token = '{"name":"made-by-another-site","description":"="}'

const forms = [
  {
    name: 'a form',
    path: '/api/v1/namespaces',
    enctype: 'application/x-www-form-urlencoded',
    fields: { key: 'made-by-another-site', name: 'x' },
  },
  { name: 'a form of plain text that is JSON', path: '/api/v1/namespaces', json: namespace },
  {
    name: 'a form with parts',
    path: '/api/v1/namespaces',
    enctype: 'multipart/form-data',
    json: namespace,
  },
  { name: 'a form in a frame', path: '/api/v1/namespaces', json: namespace, target: 'frame' },
  { name: 'a form that makes a token', path: '/auth/v1/method/token', json: token },
  {
    name: 'a form that says it deletes',
    path: '/api/v1/namespaces/victim?_method=DELETE',
    fields: { _method: 'DELETE' },
  },
  {
    name: 'a form that goes to where a login is ended',
    path: '/auth/v1/self/expire',
    method: 'get',
    fields: { _method: 'PUT' },
  },
] as const

interface Form {
  readonly path: string
  readonly method?: string
  readonly enctype?: string
  /** The name of a frame for the answer. */
  readonly target?: string
  readonly fields?: Readonly<Record<string, string>>
  /** Becomes a field whose name, `=` and value are this in plain text. */
  readonly json?: string
}

async function sendForm(page: Page, service: string, form: Form): Promise<void> {
  const { path, method = 'post', enctype = 'text/plain', target = '_self', json = '' } = form
  const [before = '', after = ''] = json.split('=')
  const fields = form.fields ?? { [before]: after }
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input name="${quoted(name)}" value="${quoted(value)}">`,
  )
  await page.setContent(
    `<iframe name="frame"></iframe>
     <form action="${service}${path}" method="${method}" enctype="${enctype}" target="${target}">
       ${inputs.join('')}
     </form>`,
  )
  const url = service + path.replace(/\?.*/, '')
  const answered =
    target === '_self'
      ? page.waitForURL((there) => there.href.startsWith(url))
      : page.waitForResponse(url)
  await page.evaluate('document.forms[0].submit()')
  await answered
}

function quoted(text: string): string {
  return text.replaceAll('"', '&quot;')
}

/** Requests by script, whatever becomes of them. */
const scripts = [
  {
    name: 'a script that sends text',
    path: '/api/v1/namespaces',
    init: { method: 'POST', mode: 'no-cors', body: namespace },
  },
  {
    name: 'a script that makes a token',
    path: '/auth/v1/method/token',
    init: { method: 'POST', mode: 'no-cors', body: token },
  },
  {
    name: 'a script that sends JSON',
    path: '/api/v1/namespaces',
    init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: namespace },
  },
  {
    name: 'a script that deletes',
    path: '/api/v1/namespaces/victim',
    init: { method: 'DELETE' },
  },
  { name: 'a script that ends the login', path: '/auth/v1/self/expire', init: { method: 'PUT' } },
  { name: 'a script that signs out', path: '/auth/v1/session', init: { method: 'DELETE' } },
] as const

function sendScript(url: string, init: object): string {
  const all = JSON.stringify({ credentials: 'include', ...init })
  return `fetch('${url}', ${all}).then(() => {}, () => {})`
}

/** Something that is loaded into the page, until it has been or cannot be. */
function embed(tag: 'iframe' | 'img', url: string): string {
  return `new Promise((resolve) => {
    const element = document.createElement('${tag}')
    element.onload = element.onerror = () => resolve()
    element.src = '${url}'
    document.body.append(element)
  })`
}

export const attacks: readonly Attack[] = [
  ...forms.map(({ name, ...form }) => ({
    name,
    run: (page: Page, target: string) => sendForm(page, target, form),
  })),
  ...scripts.map(({ name, path, init }) => ({
    name,
    run: (page: Page, target: string) => page.evaluate<void>(sendScript(target + path, init)),
  })),
  {
    name: 'a beacon',
    async run(page, target) {
      const url = `${target}/api/v1/namespaces`
      await page.evaluate(`navigator.sendBeacon('${url}', new Blob(['${namespace}']))`)
      // No event tells when it has been answered; what it changes would be seen after the next ones.
      await page.waitForTimeout(100)
    },
  },
  {
    name: 'an image',
    run: (page, target) =>
      page.evaluate<void>(embed('img', `${target}/auth/v1/self/expire?expiresAt=2020-01-01`)),
  },
  {
    name: 'a frame',
    run: (page, target) =>
      page.evaluate<void>(embed('iframe', `${target}/api/v1/namespaces/victim`)),
  },
  {
    name: 'a link',
    async run(page, target) {
      const url = `${target}/auth/v1/self/expire`
      const answered = page.waitForURL(url)
      await page.evaluate(`location.assign('${url}')`)
      await answered
    },
  },
]
