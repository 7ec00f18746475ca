import type { Page } from 'playwright-core'
import { readFixture } from '../support/fixtures.ts'

/** Has a browser send a request to the service. */
type Attack = (page: Page, service: string) => Promise<void>

interface Form {
  readonly path: string
  readonly method?: string
  readonly enctype?: string
  readonly target?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly json?: string
}

const { bodies, forms, scripts, elements } = readFixture<{
  readonly bodies: { readonly namespace: string }
  readonly forms: Readonly<Record<string, Form>>
  readonly scripts: Readonly<Record<string, { readonly path: string; readonly init: object }>>
  readonly elements: Readonly<Record<string, { readonly tag: string; readonly path: string }>>
}>('cross-site')

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

/** A request by script, whatever becomes of it. */
function sendScript(url: string, init: object): string {
  const all = JSON.stringify({ credentials: 'include', ...init })
  return `fetch('${url}', ${all}).then(() => {}, () => {})`
}

/** Something that is loaded into the page, until it has been or cannot be. */
function embed(tag: string, url: string): string {
  return `new Promise((resolve) => {
    const element = document.createElement('${tag}')
    element.onload = element.onerror = () => resolve()
    element.src = '${url}'
    document.body.append(element)
  })`
}

async function sendBeacon(page: Page, service: string): Promise<void> {
  const url = `${service}/api/v1/namespaces`
  await page.evaluate(`navigator.sendBeacon('${url}', new Blob(['${bodies.namespace}']))`)
  // No event tells when it has been answered; what it changes would be seen after the next ones.
  await page.waitForTimeout(100)
}

async function followLink(page: Page, service: string): Promise<void> {
  const url = `${service}/auth/v1/self/expire`
  const answered = page.waitForURL(url)
  await page.evaluate(`location.assign('${url}')`)
  await answered
}

export const attacks: readonly Attack[] = [
  ...Object.values(forms).map(
    (form): Attack =>
      (page, service) =>
        sendForm(page, service, form),
  ),
  ...Object.values(scripts).map(
    ({ path, init }): Attack =>
      (page, service) =>
        page.evaluate<void>(sendScript(service + path, init)),
  ),
  sendBeacon,
  ...Object.values(elements).map(
    ({ tag, path }): Attack =>
      (page, service) =>
        page.evaluate<void>(embed(tag, service + path)),
  ),
  followLink,
]
