import t from 'tap'
import { choose, readOptions } from './options.ts'

const entry = { measure: async () => [], needsDatabase: false }
const http = { ...entry, ids: ['http'] as const }
const engine = { ...entry, ids: ['engine.unleash', 'engine.flipt'] as const }

t.test('options are read, however pnpm passes them on', async (t) => {
  const all = { suite: undefined, quick: true, json: 'rows.json', only: 'http' }
  t.strictSame(readOptions(['--quick', '--json', 'rows.json', '--only', 'http']), all)
  t.strictSame(readOptions(['--', '--quick', '--json=rows.json', '--only=http']), all)
  t.strictSame(readOptions([]), {
    suite: undefined,
    quick: false,
    json: undefined,
    only: undefined,
  })
  t.match(readOptions(['management']), { suite: 'management' })
  t.match(readOptions(['peers', '--quick']), { suite: 'peers', quick: true })
  t.throws(() => readOptions(['--fast']), { code: 'invalid_argument', message: /Use: pnpm bench/ })
  for (const args of [['others'], ['peers', 'http']]) {
    t.throws(() => readOptions(args), { code: 'invalid_argument', message: /There is no / })
  }
})

t.test('rows are chosen by id, or by the part that several share', async (t) => {
  const entries = [http, engine]
  t.strictSame(choose(entries, undefined), entries)
  t.strictSame(choose(entries, 'http'), [http])
  t.strictSame(choose(entries, 'engine'), [engine])
  t.strictSame(choose(entries, 'engine.flipt'), [engine])
  t.throws(() => choose(entries, 'eng'), {
    message: 'There is no row eng. There are: http, engine.unleash, engine.flipt.',
  })
})
