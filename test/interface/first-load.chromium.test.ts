import { basename } from 'node:path'
import t from 'tap'
import { isEditor, sizeOf, sumOf } from './support/assets.ts'
import { settled } from './support/axe.ts'
import { apply, everything } from './support/content.ts'
import { startSite } from './support/site.ts'

t.test('the first load of the list of flags', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'is 240 KB of script and 20 KB of style at most', {}, async (t, visit) => {
    const { page } = visit
    await apply(site.api, visit.namespaceKey, ...everything())
    const loaded = new Set<string>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.includes('/assets/')) loaded.add(basename(pathname))
    })
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'New checkout' }).waitFor()
    await settled(page)
    await page.getByText('Live', { exact: true }).waitFor()
    const kilobytesOf = (suffix: string) =>
      sumOf([...loaded].filter((name) => name.endsWith(suffix)).map(sizeOf)) / 1000
    const [script, style, font] = ['.js', '.css', '.woff2'].map(kilobytesOf)
    t.comment(`script ${script} KB, style ${style} KB, fonts ${font} KB`)
    t.ok(script !== undefined && script > 0 && script <= 240, `${script} KB of script`)
    t.ok(style !== undefined && style > 0 && style <= 20, `${style} KB of style`)
    t.ok(font !== undefined && font <= 54, `${font} KB of fonts`)
    t.notOk([...loaded].some(isEditor), 'not the editor')
  })
})
