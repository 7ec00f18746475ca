import type { BrowserContext, Page, Request } from 'playwright-core'

/** What no page may do. */
export interface Complaint {
  readonly kind: 'policy' | 'dialog' | 'error' | 'console' | 'foreign' | 'secret'
  readonly text: string
}

export interface Watched {
  readonly complaints: readonly Complaint[]
  /** Takes out those of a kind: the test expects them. */
  take(kind: Complaint['kind']): readonly Complaint[]
}

interface Options {
  /** Its origin. */
  readonly service: string
  /** What its pages may lead to besides. */
  readonly otherOrigins?: readonly string[]
  readonly secrets: ReadonlySet<string>
}

const reporter = 'svcReportViolation'

/** Runs before anything of a page; a policy says nothing of it. */
const listener = `addEventListener('securitypolicyviolation', (event) => {
  const { effectiveDirective, blockedURI, sample, sourceFile, lineNumber } = event
  ${reporter}([effectiveDirective, blockedURI, sample, sourceFile + ':' + lineNumber].join(' '))
})`

/** Answers of the service that browsers write to the console as well. */
const ofNetwork = /^Failed to load resource: /

/** Notes what goes wrong on all pages of a browser profile, also before their scripts run. */
export async function watch(
  context: BrowserContext,
  { service, otherOrigins = [], secrets }: Options,
): Promise<Watched> {
  const origins = [service, ...otherOrigins]
  let complaints: Complaint[] = []
  const complain = (kind: Complaint['kind'], text: string) => complaints.push({ kind, text })
  await context.exposeBinding(reporter, (_source, text) => complain('policy', String(text)))
  await context.addInitScript(listener)
  context.on('console', (message) => {
    const text = message.text()
    if (/content security policy/i.test(text)) complain('policy', text)
    else if (message.type() === 'error' && !ofNetwork.test(text)) complain('console', text)
  })
  context.on('weberror', (error) => complain('error', String(error.error().stack)))
  context.on('dialog', (dialog) => {
    complain('dialog', dialog.message())
    dialog.dismiss().catch(() => {})
  })
  context.on('request', (request) => {
    const url = request.url()
    const { origin, protocol } = new URL(url)
    const isForeign = protocol.startsWith('http') && !origins.includes(origin)
    if (isForeign && isOfOurPage(request, service)) complain('foreign', url)
    for (const secret of secrets) if (url.includes(secret)) complain('secret', url)
  })
  return {
    get complaints() {
      return complaints
    },
    take(kind) {
      const taken = complaints.filter((complaint) => complaint.kind === kind)
      complaints = complaints.filter((complaint) => complaint.kind !== kind)
      return taken
    },
  }
}

/** What other sites load is their affair. */
function isOfOurPage(request: Request, service: string): boolean {
  return request.isNavigationRequest() || request.frame().url().startsWith(`${service}/`)
}

/** Has a page try what its policy forbids: a script and a style in its text. */
export async function breakPolicy(page: Page): Promise<void> {
  await page.evaluate(`{
    const script = document.createElement('script')
    script.textContent = 'window.svcBroken = true'
    document.head.append(script)
    const style = document.createElement('div')
    style.innerHTML = '<p style="color: red">'
    document.body.append(style)
  }`)
}
