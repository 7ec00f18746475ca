import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { startCli } from '../support/cli-process.ts'
import { listen } from '../support/listen.ts'
import { expectNoViolations } from './support/axe.ts'
import { signIn, startSite, type Visit } from './support/site.ts'

/** A challenge that no command waits with. */
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const codePattern = /[0-9A-HJKMNP-TV-Z]{20}/

interface Kept {
  readonly current: string
  readonly profiles: Readonly<Record<string, { readonly url: string; readonly token: string }>>
}

t.test('logging in on the command line', async (t) => {
  const site = await startSite(t)

  /** Where `svc` keeps its logins. */
  const fileOf = (home: string) => join(home, '.config/svc/profiles.json')
  const keptIn = (home: string) => JSON.parse(readFileSync(fileOf(home), 'utf8')) as Kept

  /** Runs the command until it has opened its link in the browser. */
  async function beginLogin(t: Test, more: readonly string[] = []) {
    const home = t.testdir({ opened: '', browser: '#!/bin/sh\nprintf %s "$1" > "$HOME/opened"\n' })
    const env = { BROWSER: `/bin/sh ${join(home, 'browser')}` }
    const svc = startCli(t, ['login', '--web', '--url', site.url, ...more], { home, env })
    await svc.says(/Opening http/)
    const [, link = ''] = await svc.says(/Opening (\S+)/)
    return { svc, home, link, port: Number(/port=(\d+)/.exec(link)?.[1]) }
  }

  const whoAmI = async (t: Test, home: string) => {
    const svc = startCli(t, ['whoami', '--json'], { home })
    return { code: await svc.ended(), said: svc.stdout(), stderr: svc.stderr() }
  }

  /** What the page has asked of the command, each request. */
  const answersTo = ({ watched }: Visit) => watched.take('foreign').map(({ text }) => text)

  await site.visit(t, 'with the browser, until the session ends', {}, async (t, visit) => {
    const { page, secrets } = visit
    const { svc, home, link, port } = await beginLogin(t)
    await waitFor(() => readFileSync(join(home, 'opened'), 'utf8') === link)
    await page.goto(link)
    await page.getByRole('heading', { name: 'Let svc log in?' }).waitFor()
    await page.getByText(/Allow it only if you yourself have just run svc login there/).waitFor()
    await page.getByText(/at \d\d:\d\d, or with this session/).waitFor()
    await expectNoViolations(t, page)
    const shown: string[] = []
    page.on('framenavigated', (frame) => void shown.push(frame.url()))
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'svc is logged in' }).waitFor()
    await expectNoViolations(t, page)
    t.equal(await svc.ended(), 0, svc.stderr())
    t.match(svc.stdout(), /^Logged in at http\S+ as \S+ until \S+ \S+Z · profile default\n$/)

    const [answer = '', ...others] = answersTo(visit)
    t.match(
      answer,
      new RegExp(`^http://127\\.0\\.0\\.1:${port}/\\?code=${codePattern.source}&state=`),
    )
    t.strictSame(others, [], 'once')
    const [code = ''] = codePattern.exec(answer) ?? []
    secrets.add(code)
    t.notMatch(shown.join(' '), code, 'the code is no page that was shown')
    await page.goBack().catch(() => {})
    t.notMatch(page.url(), code, 'nor one to go back to')

    t.equal(statSync(fileOf(home)).mode & 0o777, 0o600)
    t.equal(statSync(join(home, '.config/svc')).mode & 0o777, 0o700)
    const { token = '' } = keptIn(home).profiles.default ?? {}
    t.match(token, /^svc_/)
    secrets.add(token)
    t.notMatch(svc.stdout() + svc.stderr(), token)
    const who = await whoAmI(t, home)
    t.equal(who.code, 0, who.stderr)
    t.match(JSON.parse(who.said), { url: site.url, profile: 'default' })

    await page.goto('/status')
    const ending = `fetch('/auth/v1/session', { method: 'DELETE' }).then(({ status }) => status)`
    t.equal(await page.evaluate(ending), 200)
    const after = await whoAmI(t, home)
    t.equal(after.code, 5, 'it ends with the session')
    t.match(after.stderr, /`svc login` gets a new one/)
  })

  await site.visit(t, 'signs in first', { isSignedIn: false }, async (t, visit) => {
    const { page } = visit
    const { svc, link } = await beginLogin(t)
    await page.goto(link)
    await page.waitForURL(/\/login\?/)
    await signIn(page, site.token)
    t.equal(page.url(), link, 'with the whole link')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'svc is logged in' }).waitFor()
    t.equal(await svc.ended(), 0)
    answersTo(visit)
  })

  await site.visit(t, 'is refused at once by a press', {}, async (t, visit) => {
    const { page } = visit
    const { svc, home, link } = await beginLogin(t)
    await page.goto(link)
    await page.getByRole('button', { name: 'Do not allow' }).click()
    await page.getByRole('heading', { name: 'svc is not logged in' }).waitFor()
    t.equal(await svc.ended(), 5)
    t.match(svc.stderr(), /error: it was not allowed in the browser/)
    t.throws(() => keptIn(home), { code: 'ENOENT' })
    t.match(answersTo(visit), [/error=access_denied/])
  })

  await site.visit(t, 'takes no answer of another page', {}, async (t, { page, watched }) => {
    const { svc, port } = await beginLogin(t)
    const ask = (query: string) =>
      fetch(`http://127.0.0.1:${port}/${query}`, { redirect: 'manual' })
    const code = '0'.repeat(20)
    for (const query of ['', `?code=${code}`, `?code=${code}&state=other`, `x?code=${code}`]) {
      t.equal((await ask(query)).status, 404, query)
    }
    await page.goto(`${site.url}/cli-login#challenge=${challenge}&port=${port}`)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(/127\.0\.0\.1:\d+\/\?code=/)
    t.equal((await ask(`?error=x`)).status, 404, 'it still waits for its own')
    watched.take('foreign')
    t.equal(svc.stdout(), '')
  })

  await site.visit(t, 'by a code, where the browser is elsewhere', {}, async (t, visit) => {
    const { page, secrets } = visit
    const home = t.testdir({})
    const args = ['login', '--no-browser', '--profile', 'server', '--url', site.url]
    const svc = startCli(t, args, { home, isTerminal: true })
    const [link] = await svc.says(/http\S+cli-login#\S+/)
    t.notMatch(link, /port=/)
    await page.goto(link)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page
      .getByText('Type this only into a terminal in which you yourself have just run `svc login`.')
      .waitFor()
    await expectNoViolations(t, page)
    const code = (await page.getByLabel('Code').textContent()) ?? ''
    t.match(code, /^\w{5}-\w{5}-\w{5}-\w{5}$/)
    secrets.add(code).add(code.replaceAll('-', ''))
    await svc.says(/Code: $/)
    svc.type('not-the-code\n')
    await svc.says(/mistyped[\s\S]*Code: $/)
    svc.type(`${code.toLowerCase()}\n`)
    t.equal(await svc.ended(), 0, svc.stderr())
    t.match(svc.stdout(), /Logged in at .* profile server/)
    t.equal(keptIn(home).current, 'server')
    t.strictSame(answersTo(visit), [], 'and the page asks no other host')
  })

  await t.test('by a token that is typed, and not shown', async (t) => {
    const home = t.testdir({})
    const svc = startCli(t, ['login', '--url', site.url], { home, isTerminal: true })
    await svc.says(/Token, or Enter to log in with the browser: $/)
    svc.type(`${site.token}\n`)
    t.equal(await svc.ended(), 0, svc.stderr())
    t.match(svc.stdout(), /Logged in at/)
    t.notMatch(svc.stdout(), site.token)
    t.equal(keptIn(home).profiles.default?.token, site.token)
    const out = startCli(t, ['logout'], { home })
    t.equal(await out.ended(), 0, out.stderr())
    const { status } = await site.api('GET', '/auth/v1/self')
    t.equal(status, 200, 'what was made by hand stays')
  })

  await t.test('is left by Ctrl-C, wherever it waits', async (t) => {
    for (const way of [[], ['--web'], ['--no-browser']]) {
      const home = t.testdir({})
      const env = { BROWSER: 'true' }
      const argv = ['login', '--url', site.url, ...way]
      const svc = startCli(t, argv, { home, env, isTerminal: true })
      await svc.says(/browser: $|Opening http|Code: $/)
      svc.type('\u0003')
      t.equal(await svc.ended(), 130, svc.stderr())
      t.throws(() => keptIn(home), { code: 'ENOENT' })
    }
  })

  await site.visit(t, 'signs in again when the session has ended', {}, async (t, visit) => {
    const { page, context } = visit
    const link = `${site.url}/cli-login#challenge=${challenge}`
    await page.goto(link)
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await context.clearCookies()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(/\/login\?/)
    await signIn(page, site.token)
    t.equal(page.url(), link)
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
  })

  await site.visit(t, 'says why a token may not', { isSignedIn: false }, async (t, { context }) => {
    // As a proxy does that signs people in by itself.
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${site.token}` })
    const page = await context.newPage()
    await page.goto(`/cli-login#challenge=${challenge}`)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/a token may not make others/)
      .waitFor()
    await expectNoViolations(t, page)
  })

  await site.visit(t, 'asks nothing by a link that is none', {}, async (t, { page }) => {
    const links = ['', '#challenge=short', `#challenge=${challenge}&port=80%40evil.example`]
    for (const link of links) {
      await page.goto('about:blank')
      await page.goto(`/cli-login${link}`)
      await page.getByRole('heading', { name: 'This link is not complete' }).waitFor()
      t.equal(await page.getByRole('button').count(), 0)
    }
    await expectNoViolations(t, page)
  })

  const german = { locale: 'de-DE' }
  await site.visit(t, 'speaks German, and shows no markup', german, async (t, { page }) => {
    const host = encodeURIComponent('<img src=x onerror=alert(1)>\u202e')
    await page.goto(`/cli-login#challenge=${challenge}&host=${host}`)
    await page.getByRole('heading', { name: 'svc anmelden?' }).waitFor()
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    await page.getByRole('button', { name: 'Erlauben', exact: true }).click()
    await page.getByText(/^Tippen Sie ihn nur in ein Terminal/).waitFor()
    t.equal(await page.locator('img').count(), 0)
  })

  await site.visit(t, 'cannot be framed', {}, async (t, { context, watched }) => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<iframe src="${site.url}/cli-login#challenge=${challenge}"></iframe>`)
    })
    const port = await listen(t, server)
    const page = await context.newPage()
    await page.goto(`http://localhost:${port}/`)
    await page.waitForTimeout(500)
    const [, frame] = page.frames()
    t.equal(await frame?.getByRole('button').count(), 0)
    t.match(
      watched.take('policy').map(({ text }) => text),
      [/frame-ancestors/],
    )
    watched.take('foreign')
  })
})
