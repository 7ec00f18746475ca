import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { releasedCommit, whyMissing } from '../support/releases.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const protos = join(root, 'proto')
const released = join(root, 'test/fixtures/released')

/** @returns what in the protos of a folder the last release would not understand, a line each */
function compare(directory: string): string[] {
  const against = ['--against', join(released, 'protocol.binpb')]
  const args = ['breaking', '--path', 'svc', ...against]
  const ended = spawnSync(join(protos, 'node_modules/.bin/buf'), args, {
    cwd: directory,
    encoding: 'utf8',
    timeout: 300_000,
  })
  const lines = `${ended.stdout}${ended.stderr}`.split('\n').filter((line) => line !== '')
  // 100 is for findings; anything else but 0 for what could not be compared.
  if (ended.status === 0 ? lines.length > 0 : ended.status !== 100)
    throw new Error(lines.join('\n'))
  return lines
}

t.test('the release before understands the protocol', async (t) => {
  t.strictSame(compare(protos), [])
})

/** Changes of a proto, as a pattern and what comes in its place, and what is said of each. */
const breaking: [name: string, pattern: RegExp, replacement: string, says: RegExp][] = [
  ['a field with another number', /string name = 2 /, 'string name = 92 ', /field "2"/],
  ['a field that is gone', /^ {2}string name = 2 .*$/m, '', /field "2" with name "name"/],
  ['a field with another name', /string name = 2 /, 'string label = 2 ', /"label"/],
  [
    'a field of another type',
    /bool enabled = 4 /,
    'string enabled = 4 ',
    /"enabled".* changed type/,
  ],
  ['a field that is a list now', /string name = 2 /, 'repeated string name = 2 ', /cardinality/],
  [
    'an enum value that is gone',
    /^ {2}BOOLEAN_FLAG_TYPE = 1;$/m,
    '',
    /value "1" on enum "FlagType" was deleted/,
  ],
  ['a method that is gone', /^ {2}rpc ListTags[\s\S]*?^ {2}\}$/m, '', /RPC "ListTags"/],
  [
    'a method with another answer',
    /(rpc ListTags\(.*returns \()TagList/,
    '$1FlagList',
    /response type/,
  ],
  ['a service that is gone', /^service FlagService \{[\s\S]*?^\}$/m, '', /service "FlagService"/],
  ['a message that is gone', /^message FlagSummary \{[\s\S]*?^\}$/m, '', /message "FlagSummary"/],
  [
    'a service with another name',
    /^service FlagService /m,
    'service FlagsService ',
    /"FlagService"/,
  ],
]

t.test('what the release before would not understand is found', async (t) => {
  const copy = join(t.testdir({}), 'proto')
  mkdirSync(copy)
  for (const name of ['svc', 'buf.yaml', 'node_modules/protobufjs/google/api']) {
    cpSync(join(protos, name), join(copy, name), { recursive: true })
  }
  t.strictSame(compare(copy), [], 'the copy as it is')
  const file = join(copy, 'svc/resource/v1/flags.proto')
  const text = readFileSync(file, 'utf8')
  for (const [name, pattern, replacement, says] of breaking) {
    const changed = text.replace(pattern, replacement)
    t.not(changed, text, `${name}: the pattern fits`)
    // What used a message that is gone is gone as well.
    writeFileSync(
      file,
      changed.replace(/^ {2}optional FlagSummary summary.*$/m, (line) =>
        changed.includes('message FlagSummary') ? line : '',
      ),
    )
    t.match(compare(copy).join('\n'), says, name)
  }
  await t.test('and an addition is not', async (t) => {
    const field = 'string name = 2 [(svc.options.v1.field).example = "Checkout"];'
    writeFileSync(file, text.replace(field, `${field}\n  string nickname = 900;`))
    t.strictSame(compare(copy), [])
  })
})

const { version } = JSON.parse(readFileSync(join(released, 'migrations.json'), 'utf8'))
const commit = releasedCommit(version)

t.test(
  'what is kept of the last release is what it had',
  { skip: whyMissing(commit) ?? false },
  async (t) => {
    const written = t.testdir({})
    const script = join(root, '.ci/released.mjs')
    const ended = spawnSync(process.execPath, [script, commit, written], { encoding: 'utf8' })
    t.equal(ended.status, 0, ended.stderr)
    for (const name of ['protocol.binpb', 'migrations.json']) {
      t.ok(readFileSync(join(written, name)).equals(readFileSync(join(released, name))), name)
    }
  },
)
