import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type NamespaceContent, writeNamespace } from '@svc/documents/files'
import { randomDocuments } from '@svc/documents/testing'
import t, { type Test } from 'tap'
import { sendableFlags } from '../support/random-documents.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { type SvcOptions, svcFor } from '../support/svc.ts'

/** Fixes the time in the first line. */
const env = { SOURCE_DATE_EPOCH: '1764000000' }

function svcOf({ urls: [url], token }: Stack) {
  const svc = svcFor({ url, token })
  return (argv: readonly string[], options: SvcOptions = {}) => svc(argv, { env, ...options })
}

/** A file of a folder of the test. */
async function fileOf(t: Test, name: string, text: string): Promise<string> {
  const file = join(t.testdir({}), name)
  await writeFile(file, text)
  return file
}

/** Random namespaces, as a file. */
function randomFile(seed: number): string {
  return ['default', 'shop', 'empty']
    .map((namespaceKey, place): NamespaceContent => {
      const count = namespaceKey === 'empty' ? 0 : 30
      const segments = ['beta', 'eu', 'guests', 'staff'].map((key, n) => {
        const [segment] = randomDocuments('segment', { count: 1, seed: seed + place + n })
        if (segment === undefined) throw new Error('no segment')
        return { ...segment, key }
      })
      const flags = sendableFlags(count, seed + place).map((flag, n) => ({
        ...flag,
        key: `flag-${(n * 7) % 30}`,
      }))
      const name = namespaceKey === 'default' ? 'Default' : `The ${namespaceKey}`
      const description = namespaceKey === 'default' ? 'Default namespace' : ''
      return {
        namespaceKey,
        settings: { name, description },
        flags,
        segments: count > 0 ? segments : [],
      }
    })
    .flatMap((content, place) => [
      ...writeNamespace(content, { format: 'yaml', isFirst: place === 0 }),
    ])
    .join('')
}

t.test('what is exported and imported is exported as the same bytes', async (t) => {
  const [first, second] = await Promise.all([startStack(t), startStack(t)])
  const [exported, imported] = [svcOf(first), svcOf(second)]
  const given = await fileOf(t, 'given.yml', randomFile(1))
  t.match(await exported(['import', given]), { code: 0 })

  for (const ending of ['yml', 'json'] as const) {
    await t.test(ending, async (t) => {
      const before = join(t.testdir({}), `before.${ending}`)
      const after = join(t.testdirName, `after.${ending}`)
      const options = ['--all-namespaces', '-o']
      t.match(await exported(['export', ...options, before]), { code: 0, stderr: '' })
      t.match(await imported(['import', before]), { code: 0, stderr: '' })
      t.match(await imported(['export', ...options, after]), { code: 0, stderr: '' })
      const [text, again] = await Promise.all([readFile(before, 'utf8'), readFile(after, 'utf8')])
      t.match(text, /^# exported by svc \(\S+\) on 2025-11-24T16:00:00Z\n\n/)
      t.equal(again, text)
      if (ending === 'yml') t.equal(text.replace(/^.*\n\n/, ''), await readFile(given, 'utf8'))
    })
  }

  await t.test('a second import changes nothing', async (t) => {
    const { code, stdout } = await imported(['import', given, '--json'])
    t.equal(code, 0)
    for (const namespace of JSON.parse(stdout).namespaces) t.match(namespace, { items: [] })
  })
})

t.test('a file of the established service is read as it is', async (t) => {
  const stack = await startStack(t)
  const svc = svcOf(stack)
  // This file is test/dist/integration/export-import.slow.test.js.
  const text = await readFile(new URL('../../fixtures/v1-export.yml', import.meta.url), 'utf8')
  const file = await fileOf(t, 'v1.yml', text)
  t.match(await svc(['validate', file]), { code: 0 })
  t.match(await svc(['import', file]), { code: 0, stderr: '' })
  const { stdout } = await svc(['export', '--namespaces', 'default,0123'])
  t.equal(stdout, text.replace(/^.*\n\n/, ''))

  await t.test('and answers as it says', async (t) => {
    const ask = { flagKey: 'zoom', entityId: 'e', context: {} }
    const { body } = await stack.api('POST', '/evaluate/v1/variant', ask)
    t.match(body, {
      variantKey: 'near',
      variantAttachment:
        '{"levels":[1,2.5,12345678901234567890],"none":null,"since":"2024-02-03T04:05:06Z"}',
    })
  })
})

t.test('many namespaces are imported at once', async (t) => {
  const stack = await startStack(t)
  const keys = Array.from({ length: 30 }, (_, n) => `team-${n}`)
  const text = keys.map((key) => `namespace: ${key}\nflags:\n- {key: a, name: A}\n`).join('---\n')
  const file = await fileOf(t, 'many.yml', text)
  const { code, stdout, stderr } = await svcOf(stack)(['import', file])
  t.equal(code, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  t.strictSame(
    lines.map((line) => line.replace(/\d+$/, '')),
    keys.map((key) => `${key} (new): 1 created · revision `),
  )
})

t.test('a folder has a folder for each namespace', async (t) => {
  const stack = await startStack(t)
  const svc = svcOf(stack)
  const flag = 'flags:\n- {key: a, name: A}\n'
  const folder = t.testdir({
    'default.yml': flag,
    '.hidden.yml': 'nothing',
    shop: { 'a.yml': flag, more: { 'b.json': '{"flags":[{"key":"b","name":"B"}]}' }, 'c.txt': 'x' },
  })
  t.match(await svc(['validate', folder]), { code: 0 })
  const { code, stdout } = await svc(['import', folder])
  t.equal(code, 0)
  t.match(stdout, /^default: 1 created · revision \d+\nshop \(new\): 2 created · revision \d+\n$/)
  const { stderr } = await svc(['export', '-o', join(folder, 'no/such/file.yml')])
  t.match(stderr, `there is no folder ${join(folder, 'no/such')}`)
})

t.test('an object that exists and differs', async (t) => {
  const stack = await startStack(t)
  const svc = svcOf(stack)
  const flags = '/api/v1/namespaces/default/documents/flags'
  const put = (key: string, flag: object) => stack.api('PUT', `${flags}/${key}`, { flag })
  const nameOf = async (key: string) => {
    const { status, body } = await stack.api('GET', `${flags}/${key}`)
    return status === 200 ? (body as { flag: { name: string } }).flag.name : undefined
  }
  const text =
    'flags:\n- {key: same, name: Same}\n- {key: other, name: Theirs}\n- {key: new, name: New}\n'
  const file = await fileOf(t, 'a.yml', text)
  await put('same', { name: 'Same' })
  await put('other', { name: 'Ours' })
  await put('more', { name: 'More' })

  await t.test('is refused, and listed, and nothing is written', async (t) => {
    const { code, stdout, stderr } = await svc(['import', file])
    t.equal(code, 4)
    t.equal(stdout, 'default\n  ~ flag other\n      name: "Ours" → "Theirs"\n')
    t.match(stderr, '1 object exists and differs: nothing was imported')
    t.equal(await nameOf('new'), undefined)
    const json = await svc(['import', file, '--json'])
    t.match(JSON.parse(json.stdout), {
      conflicts: [{ namespaceKey: 'default', items: [{ key: 'other', place: `${file}:3:3` }] }],
    })
  })

  await t.test('is shown by a dry run with --replace', async (t) => {
    const { code, stdout } = await svc(['import', file, '--replace', '--dry-run', '--exit-code'])
    t.equal(code, 3)
    t.match(stdout, /^default: 1 created, 1 updated, 1 unchanged$/m)
    t.equal(await nameOf('new'), undefined)
  })

  await t.test('is left alone with --skip-existing', async (t) => {
    const { code, stdout } = await svc(['import', file, '--skip-existing'])
    t.equal(code, 0)
    t.match(stdout, /^default: 1 created, 2 skipped · revision \d+$/m)
    t.equal(await nameOf('other'), 'Ours')
    t.equal(await nameOf('new'), 'New')
  })

  await t.test('is set with --replace; with --prune nothing else stays', async (t) => {
    t.match(await svc(['import', file, '--replace']), { code: 0 })
    t.equal(await nameOf('other'), 'Theirs')
    t.equal(await nameOf('more'), 'More')
    const { code, stdout } = await svc(['import', '--stdin', '--prune'], { stdin: text })
    t.equal(code, 0)
    t.match(stdout, 'default: 1 deleted, 3 unchanged')
    t.equal(await nameOf('more'), undefined)
  })
})

t.test('an import is refused as a whole', async (t) => {
  const stack = await startStack(t)
  const svc = svcOf(stack)
  const namespaces = async () => {
    const { body } = await stack.api('GET', '/api/v1/namespaces')
    return (body as { namespaces: { key: string }[] }).namespaces.map(({ key }) => key)
  }
  const constraint = '{type: NUMBER_COMPARISON_TYPE, property: age, operator: gt, value: old}'
  const bad = (key: string) =>
    `namespace: {key: ${key}, name: N}\nflags:\n- {key: a, name: A}\nsegments:\n- key: s\n  name: S\n  constraints:\n  - ${constraint}\n`

  await t.test('for a constraint that the service does not take, with its place', async (t) => {
    const file = await fileOf(t, 'bad.yml', bad('fresh'))
    const { code, stderr } = await svc(['import', file])
    t.equal(code, 1)
    t.match(stderr, `${file}:5:3: segment "fresh/s": `)
    t.match(stderr, 'invalid value provided for property "age" of type number')
    t.strictSame(await namespaces(), ['default'], 'the new namespace is not there')
  })

  await t.test('over several namespaces, too', async (t) => {
    const good = 'namespace: good\nflags:\n- {key: a, name: A}\n'
    const file = await fileOf(t, 'two.yml', `${good}---\n${bad('fresh')}`)
    const { code, stderr } = await svc(['import', file])
    t.equal(code, 1)
    t.match(stderr, `${file}:9:3: segment "fresh/s": `)
    t.strictSame(await namespaces(), ['default'])
  })

  await t.test('for problems of the files, all of which are told', async (t) => {
    const file = await fileOf(t, 'c.yml', 'flags:\n- {key: a b, name: A}\n- {key: c}\n')
    const { code, stderr } = await svc(['import', file])
    t.equal(code, 2)
    t.match(stderr, `${file}:2:9: flags[0].key`)
    t.match(stderr, `${file}:3:3: flags[1]: needs "name"`)
    const json = await svc(['validate', file, '-F', 'json', '--issue-exit-code', '7'])
    t.equal(json.code, 7)
    t.match(JSON.parse(json.stdout), { errors: [{ location: { file, line: 2, column: 9 } }, {}] })
  })

  await t.test('for --drop, and without a file', async (t) => {
    t.match(await svc(['import', 'x.yml', '--drop']), { code: 2, stderr: /--replace --prune/ })
    t.match(await svc(['import']), { code: 2, stderr: /import filename required/ })
    t.match(await svc(['import', 'missing.yml']), { code: 2, stderr: /missing.yml: there is no/ })
  })

  await t.test('without a credential that may', async (t) => {
    const file = await fileOf(t, 'd.yml', 'namespace: other\nflags:\n- {key: a, name: A}\n')
    const token = await stack.createNamespacedToken('default')
    const { code } = await svcFor({ url: stack.urls[0], token })(['import', file])
    t.equal(code, 5)
  })
})
