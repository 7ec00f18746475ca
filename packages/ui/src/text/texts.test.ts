import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const files = globSync('**/texts.js', { cwd: root }).filter((file) => !file.startsWith('text/'))

/** Words that are the same in both languages. */
const same = new Set([
  ...['Flag', 'Flags', 'Name', 'Rollout', 'Segment', 'Status', 'System', 'Tag', 'Tags', 'Text'],
  ...['Import', 'Export', 'Form', 'Terminal', 'Node.js', 'OpenFeature', 'curl', 'svc explain'],
  ...['Token', 'Tokens', 'Live', 'Targeting', 'Installation', 'Version', 'YAML', 'JSON', 'Console'],
  ...[
    'control, new',
    'Bucket 2',
    'Rollout 2',
    'Revision',
    'Rollouts',
    'Gateway',
    'Gateways',
    'Online',
    'Offline',
    'Details',
    'optional',
  ],
])

/** The texts of a value, by the way to them. Functions are called, so that what they say is seen. */
function* leavesOf(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value]
  else if (typeof value === 'function') {
    // Numbers are read as numbers and as texts, true and false are no less.
    const parameters = Array.from({ length: value.length }, (_, place) => String(place + 2))
    yield [`${path}()`, String(value(...parameters))]
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* leavesOf(member, `${path}.${name}`)
  }
}

t.test('there are texts', async (t) => t.ok(files.length > 10, `${files.length} files`))

for (const file of files) {
  t.test(`${file} is complete in both languages`, async (t) => {
    const folder = dirname(join(root, file))
    const english = await import(join(root, file))
    const german = await import(join(folder, 'texts.de.js'))
    const defined = Object.values(english).find(
      (value): value is { en: object } =>
        typeof value === 'object' && value !== null && 'en' in value,
    )
    const en = new Map(leavesOf(defined?.en, ''))
    const de = new Map(leavesOf(german.de, ''))
    t.strictSame([...de.keys()].sort(), [...en.keys()].sort(), 'with the same members')
    for (const [path, text] of en) {
      const other = de.get(path) ?? ''
      t.not(other.trim(), '', `${path} says something`)
      const hasWords = /\p{L}{4}/u.test(text)
      if (hasWords && !same.has(text)) t.not(other, text, `${path} is translated`)
      if (/please|successfully|oops|!|are you sure/i.test(text)) t.fail(`${path}: ${text}`)
    }
  })
}
