import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/** This file is test/dist/contract/docs-links.test.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Installed, generated or local: no document may depend on it. */
const unversioned = new Set(['node_modules', 'dist', 'gen', '.git', '.tap', '.data'])

/** The files and folders below a folder, relative to the root. */
function pathsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !unversioned.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? [path, ...pathsIn(path)] : [path]
    })
}

const paths = pathsIn('')
const known = new Set(paths)
const documents = paths.filter((path) => path.endsWith('.md'))

/** Documents that tell contributors where code is. Decisions may name what has gone since. */
const guides = documents.filter((path) =>
  /(^|\/)README\.md$|^CONTRIBUTING\.md$|^docs\/(architecture|concepts|releasing)\.md$/.test(path),
)

const texts = new Map(documents.map((path) => [path, readFileSync(join(root, path), 'utf8')]))

function textOf(path: string): string {
  return texts.get(path) ?? ''
}

/** The Markdown without code, in which a link is no link and a comment no heading. */
function proseOf(text: string): string {
  return text.replace(/^( *)(```|~~~).*?^\1\2/gms, '').replace(/`[^`\n]+`/g, 'code')
}

/** What the links of a document point to, as it is written. */
function linksIn(text: string): string[] {
  const prose = proseOf(text)
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const references = [...prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)/gm)]
  const html = [...prose.matchAll(/\s(?:href|src)="([^"]+)"/g)]
  return [...inline, ...references, ...html].flatMap(([, target]) => target ?? [])
}

/** The anchors that code hosts make of headings. */
function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text
    .replace(/^( *)(```|~~~).*?^\1\2/gms, '')
    .matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** @returns what is wrong with a link, `undefined` when it is right or leads out of the repository */
function faultOf(document: string, link: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined
  const [path = '', anchor] = decodeURI(link).split('#')
  const target = path === '' ? document : normalize(join(dirname(document), path))
  const file = target.replace(/\/$/, '')
  if (!known.has(file)) return `${link}: no such file`
  if (anchor === undefined || !file.endsWith('.md')) return undefined
  return anchorsIn(textOf(file)).has(anchor) ? undefined : `${link}: no such heading`
}

/** Paths of code as guides name them: in code, with a folder or an extension of the repository's. */
function codePathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const trees = [...text.matchAll(/^```\n((?:(?:\S+\/) .*\n)+)```/gm)].map(([, tree = '']) => tree)
  const lines = [...spans, ...trees.flatMap((tree) => tree.match(/^\S+/gm) ?? [])]
  return lines
    .flatMap((line) => line.split(/\s+/))
    .filter((word) => /^(?!\.\/)[\w.*][\w.*{},/-]*$/.test(word))
    .filter((word) => !word.split('/').some((name) => unversioned.has(name)))
    .filter((word) => word.includes('/') || /\.(ts|mjs|proto|sql|yml|yaml)$/.test(word))
}

/** Whether a path, from the root or from any folder, is there. It may be a glob. */
function isThere(path: string): boolean {
  const file = path.replace(/\/$/, '')
  return known.has(file) || paths.some((one) => matchesGlob(one, `**/${file}`))
}

t.test('there are documents to look at', async (t) => {
  t.ok(documents.length > 15, `${documents.length} documents`)
  t.ok(guides.length > 2, `${guides.length} guides`)
})

for (const document of documents) {
  t.test(`the links of ${document} lead somewhere`, async (t) => {
    const faults = linksIn(textOf(document)).flatMap((link) => faultOf(document, link) ?? [])
    t.strictSame(faults, [])
  })
}

for (const guide of guides) {
  t.test(`the code that ${guide} names is there`, async (t) => {
    const missing = codePathsIn(textOf(guide)).filter((path) => !isThere(path))
    t.strictSame(missing, [])
  })
}

t.test('a broken link, a missing heading and a moved file are found', async (t) => {
  const text = [
    '# One `two`, three',
    '[a](README.md) [b](gone.md) [c](#one-two-three) [d](#four) `[e](code.md)`',
    '```sh',
    '# [f](code.md)',
    '```',
    '[g]: docs/gone.md',
  ].join('\n')
  texts.set('sample.md', text)
  known.add('sample.md')
  const faults = linksIn(text).flatMap((link) => faultOf('sample.md', link) ?? [])
  t.strictSame(faults, [
    'gone.md: no such file',
    '#four: no such heading',
    'docs/gone.md: no such file',
  ])
  const guide = '`test/contract/docs-links.test.ts`, `test/{chaos,gone}/*.test.ts`, `gone/file.ts`'
  t.strictSame(
    codePathsIn(guide).filter((path) => !isThere(path)),
    ['gone/file.ts'],
  )
})
