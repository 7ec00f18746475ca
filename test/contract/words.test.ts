import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const list = 'test/fixtures/retired-words.yml'

/** Every file that is versioned, but for the list itself, the lock file, and SQL that databases have run. */
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && file !== list && file !== 'pnpm-lock.yaml')
  .filter((file) => existsSync(root + file)) // one may be deleted and not committed
  .filter((file) => !/\/migrations\/.*\.sql$/.test(file))

/** What people read on a page, and the tests that quote it: people are what it is about. */
const onPages = /^(packages\/ui\/src\/.*(texts(\.de)?|\.test)\.ts|test\/interface\/.*)$/

/** By kind: patterns of words, each with what is said instead. */
const retired = readFixture<Record<string, Record<string, string>>>('retired-words')

/** @returns the places of a word, each as `file:line: word` */
function find(pattern: RegExp, file: string, text: string): string[] {
  return [...`${file}\n${text}`.matchAll(pattern)].map(({ 0: word, index }) => {
    const line = text.slice(0, Math.max(0, index - file.length - 1)).split('\n').length
    return `${file}:${line}: ${word}`
  })
}

t.test('no versioned file has a retired word', async (t) => {
  t.ok(files.length > 500, `${files.length} files`)
  const texts = files.map((file) => [file, readFileSync(root + file, 'utf8')] as const)
  for (const [kind, words] of Object.entries(retired)) {
    const isConcerned = (file: string) => kind !== 'people as subjects' || !onPages.test(file)
    for (const [word, instead] of Object.entries(words)) {
      const pattern = new RegExp(`\\b(?:${word})\\b`, 'g')
      const places = texts
        .filter(([file]) => isConcerned(file))
        .flatMap(([file, text]) => find(pattern, file, text))
      t.strictSame(places, [], `${kind}: ${instead}`)
    }
  }
})

t.test('a word is found in a text and in the name of a file', async (t) => {
  t.strictSame(find(/\bold\b/g, 'a.ts', 'const a = 1\nconst old = 2'), ['a.ts:2: old'])
  t.strictSame(find(/\bold\b/g, 'old-side.ts', 'const a = 1'), ['old-side.ts:1: old'])
})
