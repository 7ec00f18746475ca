import { waitFor } from '@svc/runtime/testing'
import type { BrowserContext, Page, Request } from 'playwright-core'
import t from 'tap'
import { apply, booleanFlag } from './support/content.ts'
import { startSite } from './support/site.ts'

/** Event streams of a browser that are open, over all its tabs. */
function streamsOf(context: BrowserContext): ReadonlySet<Request> {
  const open = new Set<Request>()
  context.on('request', (request) => {
    if (!new URL(request.url()).pathname.endsWith('/events')) return
    open.add(request)
    request
      .frame()
      .page()
      .once('close', () => open.delete(request))
  })
  context.on('requestfinished', (request) => open.delete(request))
  context.on('requestfailed', (request) => open.delete(request))
  return open
}

/** As when another tab is before it. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
}

const change = { kind: 'FLAG_KIND', key: 'one', patch: { name: 'Another' } } as const
const isLive = (page: Page) => page.getByRole('button', { name: 'Live', exact: true }).waitFor()
const hasNews = (page: Page) => page.getByText('1 flag was changed by others').waitFor()

t.test('news', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'come to eight tabs by one stream', {}, async (t, visit) => {
    const { page, context, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('one'))
    const streams = streamsOf(context)
    const others = await Promise.all(Array.from({ length: 7 }, () => visit.newPage()))
    const pages = [page, ...others]
    await Promise.all(pages.map((one) => one.goto(visit.own('flags'))))
    await Promise.all(pages.map(isLive))
    t.equal(streams.size, 1)
    await apply(site.api, namespaceKey, change)
    await Promise.all(pages.map(hasNews))
    t.equal(streams.size, 1)

    const [stream] = streams
    t.equal(await stream?.headerValue('x-svc-background'), 'true', 'it is no use of the session')
    const leader = stream?.frame().page()
    await leader?.close()
    await waitFor(() => streams.size === 1)
    const rest = pages.filter((one) => one !== leader)
    t.equal(rest.length, 7)
    await apply(site.api, namespaceKey, booleanFlag('two'))
    await Promise.all(rest.map((one) => one.getByText('2 flags were changed by others').waitFor()))
    t.equal(streams.size, 1)
  })

  await site.visit(t, 'do not come to a tab that was hidden for a minute', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('one'))
    const streams = streamsOf(visit.context)
    await page.clock.install()
    await page.goto(visit.own('flags'))
    await isLive(page)
    await setHidden(page, true)
    await page.clock.fastForward(30_000)
    t.equal(streams.size, 1, 'after half a minute it still has it')
    await page.clock.fastForward(31_000)
    await waitFor(() => streams.size === 0)
    // Longer than the stream is waited with after it broke.
    await page.clock.fastForward(60_000)
    await page.getByRole('button', { name: 'Not live' }).waitFor()
    t.equal(streams.size, 0)
    await apply(site.api, namespaceKey, change)
    await setHidden(page, false)
    await isLive(page)
    await hasNews(page)
    t.equal(streams.size, 1)
  })

  await site.visit(
    t,
    'are asked for each 15 seconds where tabs cannot agree',
    {},
    async (t, visit) => {
      const { page, namespaceKey } = visit
      await apply(site.api, namespaceKey, booleanFlag('one'))
      const streams = streamsOf(visit.context)
      await page.addInitScript('delete Navigator.prototype.locks')
      await page.clock.install()
      await page.goto(visit.own('flags'))
      const polls = page.getByRole('button', { name: 'Live, every 15 s' })
      await polls.waitFor()
      await page.getByRole('link', { name: 'One' }).waitFor()
      await setHidden(page, true)
      await page.clock.fastForward(61_000)
      await setHidden(page, false)
      t.equal(await polls.count(), 1, 'also after a minute in which it was hidden')
      await apply(site.api, namespaceKey, change)
      await page.clock.fastForward(15_000)
      await hasNews(page)
      t.equal(streams.size, 0)
    },
  )

  await site.visit(t, 'of many flags at once reach the last of them', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = Array.from({ length: 25 }, (_, place) => `f${String(place).padStart(2, '0')}`)
    await apply(site.api, namespaceKey, ...keys.map((key) => booleanFlag(key, { enabled: true })))
    const list = await visit.newPage()
    const pages = [page, list]
    await page.goto(visit.own('flags/f23'))
    await list.goto(visit.own('flags'))
    for (const one of pages) {
      // A page that is not before the others still has the news.
      await one.getByText('Live', { exact: true }).waitFor()
    }
    const rest = page.getByRole('switch').first()
    t.equal(await rest.getAttribute('aria-checked'), 'true')
    const off = (key: string) => ({ kind: 'FLAG_KIND', key, patch: { enabled: false } }) as const
    await apply(site.api, namespaceKey, ...keys.map(off))
    await list.getByText('25 flags were changed by others').waitFor()
    await waitFor(async () => (await rest.getAttribute('aria-checked')) === 'false')
  })
})
