import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { startStack } from '../support/stack.ts'
import { type Svc, svcFor } from '../support/svc.ts'

const key = 'a-key-of-the-change-log-that-is-long-enough'

async function start(t: Test) {
  const { urls, token, api } = await startStack(t, { env: { SVC_CHANGES_KEY: key } })
  const apply = async (operations: readonly object[], more: object = {}): Promise<number> => {
    const path = '/api/v1/namespaces/default/apply'
    const { status, body, text } = await api('POST', path, { operations, ...more })
    if (status !== 200) throw new Error(text)
    return (body as { readonly revision: number }).revision
  }
  return { svc: svcFor({ url: urls[0], token }), api, apply }
}

function flag(key: string, more: object = {}) {
  return { kind: 'FLAG_KIND', key, flag: { name: key, type: 'BOOLEAN_FLAG_TYPE', ...more } }
}

function linesOf(stdout: string) {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
}

async function readAll(svc: Svc, more: readonly string[] = []): Promise<string> {
  const { stdout, code } = await svc(['changes', '--after', '0', '--json', ...more])
  if (code !== 0) throw new Error(stdout)
  return stdout
}

t.test('svc changes', async (t) => {
  const { svc, apply } = await start(t)
  const many = Array.from({ length: 30 }, (_, n) => flag(`f-${n}`))
  await apply(many, { comment: 'many\nof them' })
  const last = await apply([flag('f-0', { enabled: true })], { details: { from: 'staging:7' } })

  await t.test('shows the newest first, in words', async (t) => {
    const { code, stdout } = await svc(['changes', '--limit', '2'])
    t.equal(code, 0)
    const [first, second, ...rest] = stdout.split('\n')
    t.match(first, new RegExp(`^${last} · \\d{4}-.*Z · .* · apply from staging:7$`))
    t.equal(second, '    flag f-0 enabled: false → true')
    t.match(rest[0], / · apply · many$/)
    t.match(rest.at(-2), /and 20 more/)
  })

  await t.test('shows all that is later, with all objects, as JSON', async (t) => {
    const changes = linesOf(await readAll(svc))
    t.match(changes.at(-1), { namespaceKey: 'default', revision: last, items: [{ key: 'f-0' }] })
    const large = changes.at(-2) as { readonly items: readonly object[] }
    t.equal(large.items.length, 30)
    t.notOk('after' in (large.items[29] ?? {}), 'without documents')
    t.match(linesOf(await readAll(svc, ['--documents'])).at(-2), { items: [{ after: /"f-0"/ }] })
    t.strictSame(linesOf(await readAll(svc, ['--after', `${last}`])), [])
    t.equal(linesOf(await readAll(svc, ['--kind', 'flag', '--key', 'f-0'])).length, 2)
  })

  await t.test('follows what is made meanwhile, and begins with the last', async (t) => {
    const stop = new AbortController()
    let seen = ''
    const following = svc(['changes', '--follow', '--limit', '1', '--json'], {
      signal: stop.signal,
      onOutput: (stdout) => {
        seen = stdout
      },
    })
    await waitFor(() => linesOf(seen).length === 1)
    const next = [await apply([flag('new')]), await apply([flag('newer')])]
    await waitFor(() => linesOf(seen).length === 3)
    stop.abort()
    t.equal((await following).code, 130)
    t.match(linesOf(seen), [{ revision: last }, ...next.map((revision) => ({ revision }))])
  })

  await t.test('refuses what it cannot do', async (t) => {
    const wrong: readonly [readonly string[], RegExp][] = [
      [['--key', 'f-0'], /--key needs --kind/],
      [['--documents'], /--documents needs --json/],
      [['--since', 'yesterday'], /--since takes an instant/],
    ]
    for (const [argv, said] of wrong) {
      const { code, stderr } = await svc(['changes', ...argv])
      t.equal(code, 2)
      t.match(stderr, said)
    }
  })
})

t.test('svc changes verify', async (t) => {
  const { svc, apply, api } = await start(t)
  await apply([flag('one', { metadata: { b: 1, a: 'ü' } })], {
    details: { note: 'a note', from: 'staging:7' },
    manager: 'git',
    comment: 'für alle "hier"',
  })
  await apply(Array.from({ length: 30 }, (_, n) => flag(`f-${n}`)))
  await api('PUT', '/api/v1/namespaces/default', { name: 'Renamed', description: 'D' })
  const { body } = await api('DELETE', '/api/v1/namespaces/default/documents/flags/one')
  t.ok(body)

  await t.test('asks the service', async (t) => {
    const { code, stdout } = await svc(['changes', 'verify'])
    t.equal(code, 0)
    t.match(
      stdout,
      /^default: intact\n {4}checked \d+ changes, revisions \d+ to \d+\n {4}head [0-9a-f]{64}\n$/,
    )
  })

  const dir = t.testdir({ key: `${key}\n`, 'other-key': 'another key' })
  const keyFile = join(dir, 'key')
  const file = join(dir, 'changes.ndjson')
  const text = await readAll(svc, ['--documents'])
  const lines = text.trimEnd().split('\n')
  const verify = async (content: string, keys: readonly string[] = [keyFile]) => {
    await writeFile(file, content)
    const keyArguments = keys.flatMap((one) => ['--key-file', one])
    // Another address: nothing is asked of a service.
    const env = { SVC_URL: 'http://127.0.0.1:1' }
    return svc(['changes', 'verify', '--file', file, ...keyArguments, '--json'], { env })
  }

  await t.test('proves a file with the key', async (t) => {
    const { code, stdout, stderr } = await verify(text)
    t.equal(stderr, '')
    const here = JSON.parse((await svc(['changes', 'verify', '--json'])).stdout)
    t.match(JSON.parse(stdout), [
      { namespaceKey: 'default', intact: true, checked: lines.length, head: here.head },
    ])
    t.equal(code, 0)
  })

  await t.test('begins anywhere, and takes a change twice', async (t) => {
    t.equal((await verify(`${lines.slice(1).join('\n')}\n\n`)).code, 0)
    const twice = [...lines.slice(0, 2), ...lines.slice(1)].join('\n')
    t.equal((await verify(twice)).code, 0)
  })

  await t.test('finds each change that was edited, removed or moved', async (t) => {
    const edits = [
      /"comment":"/,
      /"requestId":"/,
      /"note":"/,
      /"source":"/,
      /"actor":{"id":"/,
      /\\"name\\":\\"/,
      /"namespaceKey":"/,
    ]
    for (const edit of edits) {
      const edited = text.replace(edit, (found) => `${found}x`)
      t.not(edited, text, String(edit))
      t.equal((await verify(edited)).code, 3, String(edit))
    }
    const moment = text.replace(
      /("at":"[^"]*)(\d)(Z")/,
      (_, start, digit, end) => `${start}${(Number(digit) + 1) % 10}${end}`,
    )
    t.equal((await verify(moment)).code, 3, 'at')
    const removed = await verify(lines.filter((_, n) => n !== 2).join('\n'))
    t.equal(removed.code, 3)
    t.match(JSON.parse(removed.stdout), [{ intact: false, line: 3, fault: /does not follow/ }])
    const [a = '', b = '', ...rest] = lines
    t.equal((await verify([b, a, ...rest].join('\n'))).code, 3)
  })

  await t.test('does not prove without the key, or with another', async (t) => {
    for (const keys of [[], [join(dir, 'other-key')]]) {
      const { code, stdout } = await verify(text, keys)
      t.equal(code, 3)
      t.match(JSON.parse(stdout), [{ fault: /unknown key/, unproven: [{ count: lines.length }] }])
    }
    t.equal((await verify(text, [join(dir, 'other-key'), keyFile])).code, 0, 'a previous key')
  })

  await t.test('says what is no file of changes', async (t) => {
    const without = await readAll(svc)
    const cases: readonly [string, RegExp][] = [
      ['', /has no changes/],
      ['nonsense', /:1: is no JSON/],
      ['{}', /:1: "items" must be a list/],
      [`${lines[0]}\n[]`, /:2: a line must be an object/],
      [without, /was written without --documents/],
      [(lines[1] ?? '').replace('"itemCount":30', '"itemCount":31'), /not all of its items/],
    ]
    for (const [content, said] of cases) {
      const { code, stderr } = await verify(content)
      t.equal(code, 2)
      t.match(JSON.parse(stderr).error.message, said)
    }
    const missing = await svc(['changes', 'verify', '--file', '/nonexistent'])
    t.match([missing.code, missing.stderr], [2, /cannot be read/])
    const noKey = await svc(['changes', 'verify', '--file', file, '--key-file', '/nonexistent'])
    t.match([noKey.code, noKey.stderr], [2, /the key cannot be read/])
  })
})
