import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Database, openDatabase } from '@svc/database'
import { createLogger, SettingsError } from '@svc/runtime'
import t, { type Test } from 'tap'
import { handlersOn, openResources, type Resources } from '../testing/resources.ts'
import { seed } from './seed.ts'

type Mode = 'once' | 'always'

const silent = createLogger({ level: 'silent', encoding: 'json' }, 'test')

const flagFile = (key: string, more = '') => `
flags:
  - key: ${key}
    name: ${key}
    type: BOOLEAN_FLAG_TYPE
    enabled: true
${more}`

const namespaced = (namespace: string, file: string) => `namespace: ${namespace}\n${file}`

/** The changes of all namespaces, the oldest first. */
const readLog = (db: Database) =>
  db.query<{ namespaceKey: string }>(
    `SELECT namespace_key AS "namespaceKey", actor, source, address, details::text AS details
       FROM resource.changes ORDER BY revision`,
  )

/** A start of the service, as far as it seeds. @returns what it has logged */
function startsOn(resources: Pick<Resources, 'db'>) {
  const lines: Record<string, unknown>[] = []
  const note = (details: unknown, msg?: string) =>
    void lines.push(
      typeof details === 'string' ? { msg: details } : { ...(details as object), msg },
    )
  const log = { info: note }
  return {
    lines,
    start: (path: string | undefined, mode: Mode = 'once', db: Database = resources.db) =>
      seed({ db, background: db, log, path, mode }),
  }
}

async function open(t: Test, files: Readonly<Record<string, string>>) {
  const folder = t.testdir(files)
  const resources = await openResources(t)
  const keysOf = async (namespaceKey: string) => {
    const { flags } = await resources.listFlags({ namespaceKey })
    return flags.map(({ key }) => key)
  }
  return {
    ...resources,
    ...startsOn(resources),
    folder,
    at: (...name: string[]) => join(folder, ...name),
    keysOf,
  }
}

t.test('without a path nothing is seeded', async (t) => {
  const { start, db, keysOf } = await open(t, {})
  await start(undefined)
  t.strictSame(await keysOf('default'), [])
  t.strictSame(await db.query('SELECT * FROM resource.seeds'), [])
})

t.test('once', async (t) => {
  await t.test('seeds new and empty namespaces, each in one change', async (t) => {
    const file = `
version: "1.4"
namespace: { key: shop, name: The shop, description: All of it }
flags:
  - key: checkout
    name: Checkout
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: new, name: New, attachment: { a: 1 } }, { key: old }]
    rules: [{ segment: germany, distributions: [{ variant: new, rollout: 100 }] }]
segments:
  - key: germany
    name: Germany
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: STRING_COMPARISON_TYPE, property: country, operator: eq, value: DE }]
---
${flagFile('plain')}`
    const { at, db, getFlag, getFlagDocument, getNamespace, start, lines } = await open(t, {
      'flags.yml': file,
    })
    await start(at('flags.yml'))
    t.match(await getNamespace({ key: 'shop' }), { name: 'The shop', description: 'All of it' })
    t.match(await getFlag({ namespaceKey: 'shop', key: 'checkout' }), {
      variants: [{ key: 'new', attachment: '{"a":1}' }, { key: 'old' }],
      enabled: true,
    })
    const { managedBy } = await getFlagDocument({ namespaceKey: 'shop', key: 'checkout' })
    t.notOk(managedBy, 'which nothing keeps')
    t.match(await getFlag({ key: 'plain' }), { enabled: true })
    t.match(await readLog(db), [
      { namespaceKey: 'shop', actor: 'system', source: 'seed', address: null, details: null },
      { namespaceKey: 'default', actor: 'system', source: 'seed' },
    ])
    t.match(lines, [
      { msg: 'seeded', namespace: 'shop' },
      { msg: 'seeded', namespace: 'default' },
    ])
  })

  await t.test('in the life of the database, whatever became of it', async (t) => {
    const { at, deleteFlag, deleteNamespace, getNamespace, keysOf, start } = await open(t, {
      'a.yml': namespaced('shop', flagFile('a')),
    })
    await start(at('a.yml'))
    await deleteFlag({ namespaceKey: 'shop', key: 'a' })
    await start(at('a.yml'))
    t.strictSame(await keysOf('shop'), [], 'what was deleted stays deleted')
    await deleteNamespace({ key: 'shop' })
    await writeFile(at('a.yml'), namespaced('shop', flagFile('b')))
    await start(at('a.yml'))
    await t.rejects(getNamespace({ key: 'shop' }), { code: 'not_found' })
  })

  await t.test('leaves what holds something alone, also once it is empty', async (t) => {
    const { at, createFlag, createNamespace, deleteFlag, keysOf, lines, start } = await open(t, {
      'a.yml': `${flagFile('a')}---\n${namespaced('shop', flagFile('s'))}`,
    })
    await createFlag({ key: 'own', name: 'Own' })
    await createNamespace({ key: 'shop', name: 'Shop' })
    await start(at('a.yml'))
    t.strictSame(await keysOf('default'), ['own'])
    t.strictSame(await keysOf('shop'), ['s'], 'it was empty')
    t.match(lines[0], { msg: /^not seeded/, namespace: 'default' })
    await deleteFlag({ key: 'own' })
    await start(at('a.yml'))
    t.strictSame(await keysOf('default'), [])
  })
})

t.test('always', async (t) => {
  await t.test('applies what has changed, and keeps it, without deleting', async (t) => {
    const { at, db, getFlagDocument, keysOf, start, updateFlag } = await open(t, {
      'a.yml': flagFile('a'),
    })
    await start(at('a.yml'), 'always')
    t.match(await getFlagDocument({ key: 'a' }), { managedBy: 'seed' })
    await updateFlag({ key: 'a', name: 'Edited', enabled: true })
    await start(at('a.yml'), 'always')
    t.match(await getFlagDocument({ key: 'a' }), { flag: { name: 'Edited' } }, 'nothing is new')
    const log = await readLog(db)
    t.equal(log.length, 2)
    t.match(log[0], { source: 'seed', details: '{"manager":"seed"}' })
    await writeFile(at('a.yml'), `# formatted otherwise\n${flagFile('a')}`)
    await start(at('a.yml'), 'always')
    t.equal((await readLog(db)).length, 2, 'nothing is new')
    await writeFile(at('a.yml'), flagFile('b'))
    await start(at('a.yml'), 'always')
    t.strictSame((await keysOf('default')).toSorted(), ['a', 'b'])
    await writeFile(at('a.yml'), flagFile('a'))
    await start(at('a.yml'), 'always')
    t.match(await getFlagDocument({ key: 'a' }), { flag: { name: 'a' } })
  })

  await t.test('after once, with the same file', async (t) => {
    const { at, getFlagDocument, start } = await open(t, { 'a.yml': flagFile('a') })
    await start(at('a.yml'))
    t.notOk((await getFlagDocument({ key: 'a' })).managedBy)
    await start(at('a.yml'), 'always')
    t.match(await getFlagDocument({ key: 'a' }), { managedBy: 'seed' })
  })

  await t.test('keeps the colour of a namespace', async (t) => {
    const named = 'namespace: { key: shop, name: New name }\n'
    const { at, createNamespace, getNamespace, start } = await open(t, {
      'a.yml': named + flagFile('a'),
    })
    await createNamespace({ key: 'shop', name: 'Shop', color: 'blue', confirm: true })
    await start(at('a.yml'), 'always')
    t.match(await getNamespace({ key: 'shop' }), { name: 'New name', color: 'blue', confirm: true })
  })

  await t.test('is refused where another manager keeps an object', async (t) => {
    const { apply, at, keysOf, start } = await open(t, {
      'a.yml': `${flagFile('a')}  - key: b\n    name: B\n    type: BOOLEAN_FLAG_TYPE\n`,
    })
    const flag = { name: 'B', type: 'BOOLEAN_FLAG_TYPE' } as const
    await apply({ manager: 'git', operations: [{ kind: 'FLAG_KIND', key: 'b', flag }] })
    await t.rejects(start(at('a.yml'), 'always'), {
      name: 'SettingsError',
      problems: [/^seed\.path: .*a\.yml:7:5: flag "default\/b" is kept by "git"$/],
    })
    t.strictSame(await keysOf('default'), ['b'], 'all or nothing')
  })
})

t.test('a folder', async (t) => {
  const { at, keysOf, start } = await open(t, {})
  const write = async (name: string, text: string) => {
    await mkdir(join(at(name), '..'), { recursive: true })
    await writeFile(at(name), text)
  }
  await write('a.yml', flagFile('a'))
  await write('b.json', '{"flags":[{"key":"b","name":"b","type":"BOOLEAN_FLAG_TYPE"}]}')
  await write('shop/deep/c.yaml', flagFile('c'))
  await write('shop/d.yml', namespaced('other', flagFile('d')))
  await write('notes.txt', 'not: [a file of ours')
  await write('.hidden/e.yml', 'not: [a file of ours')
  // As Kubernetes mounts them.
  await write('..2026_11_25/f.yml', namespaced('mounted', flagFile('f')))
  await symlink('..2026_11_25', at('..data'))
  await symlink('..data/f.yml', at('f.yml'))
  await start(at())
  t.strictSame(await keysOf('default'), ['a', 'b'])
  t.strictSame(await keysOf('shop'), ['c'])
  t.strictSame(await keysOf('other'), ['d'])
  t.strictSame(await keysOf('mounted'), ['f'])
})

t.test('what is wrong with files stops the start, and is said with file and line', async (t) => {
  const { at, db, keysOf, start } = await open(t, {
    'unknown.yml': 'flags:\n  - key: a\n    nmae: A\n',
    'syntax.yml': 'flags: [\n',
    'missing.yml': `${flagFile('a', '    rollouts: [{ segment: { key: gone, value: true } }]\n')}`,
    'twice.yml': `${flagFile('a')}---\n${flagFile('a')}`,
    'variants.yml': `flags:\n  - { key: a, name: a, variants: [{ key: v }, { key: v }] }\n`,
    'operator.yml': `segments:
  - key: s
    name: S
    constraints: [{ type: STRING_COMPARISON_TYPE, property: a, operator: gt, value: b }]
`,
    'a.txt': '',
    empty: '',
  })
  await mkdir(at('none'))
  await mkdir(at('my shop'))
  await writeFile(at('my shop/a.yml'), flagFile('a'))
  await mkdir(at('loop'))
  await symlink('.', at('loop/again'))
  await rm(at('empty'))
  const cases: Readonly<Record<string, RegExp>> = {
    'unknown.yml':
      /^seed\.path: .*unknown\.yml:3:5: flags\[0\]\.nmae: is unknown.*Did you mean "name"/,
    'syntax.yml': /^seed\.path: .*syntax\.yml:\d+:\d+: /,
    'missing.yml': /missing\.yml:3:5: .*the segment "gone" is in none of the files/,
    'twice.yml': /twice\.yml:10:5: .*flag "a" is in .*twice\.yml:3:5, too/,
    'variants.yml': /variants\.yml:2:47: .*second variant with the key "v"/,
    'operator.yml': /^seed\.path: .*operator\.yml:\d+:\d+: .*operator/,
    'a.txt': /a\.txt:1:1: .*must end in \.yml, \.yaml or \.json/,
    gone: /^seed\.path: .*gone cannot be read: ENOENT/,
    none: /none has no file whose name ends in \.yml, \.yaml or \.json/,
    'my shop': /my shop/,
    loop: /loop\/again leads back to a folder above it/,
  }
  for (const [name, problem] of Object.entries(cases)) {
    const path = name === 'my shop' ? at() : at(name)
    if (name === 'my shop') {
      for (const other of ['unknown', 'syntax', 'missing', 'twice', 'variants', 'operator']) {
        await rm(at(`${other}.yml`))
      }
      await rm(at('loop'), { recursive: true })
    }
    if (name === 'loop') await mkdir(at('loop')).then(() => symlink('.', at('loop/again')))
    const error = await start(path).catch((error: unknown) => error)
    t.ok(error instanceof SettingsError, name)
    t.match(error instanceof SettingsError && error.problems, [problem], name)
  }
  t.strictSame(await keysOf('default'), [])
  t.strictSame(await db.query('SELECT * FROM resource.seeds'), [])
})

t.test('of several replicas that start at once, one seeds', async (t) => {
  for (const mode of ['once', 'always'] as const) {
    const resources = await open(t, {})
    const { at, db } = resources
    const keys = Array.from({ length: 5 }, (_, i) => `space-${i}`)
    const file = keys.map((key) => namespaced(key, flagFile('a'))).join('---\n')
    await writeFile(at('a.yml'), file)
    const replicas = Array.from({ length: 4 }, () =>
      openDatabase(db.url, { name: 'replica', maxConnections: 4, log: silent }),
    )
    t.teardown(() => Promise.all(replicas.map((replica) => replica.close())))
    await Promise.all(replicas.map((replica) => resources.start(at('a.yml'), mode, replica)))
    const log = await readLog(db)
    t.strictSame(log.map(({ namespaceKey }) => namespaceKey).toSorted(), keys, mode)
    for (const namespaceKey of keys) {
      const { flags } = await handlersOn(db).listFlags({ namespaceKey })
      t.equal(flags.length, 1)
    }
  }
})

t.test('the lock outlasts the time that a session may be idle in a transaction', async (t) => {
  const { at, db } = await open(t, { 'a.yml': flagFile('a') })
  await db.query(`CREATE FUNCTION resource.wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$`)
  await db.query(`CREATE TRIGGER wait BEFORE INSERT ON resource.flags FOR EACH ROW
    EXECUTE FUNCTION resource.wait()`)
  const url = new URL(db.url)
  url.searchParams.set('options', '-c idle_in_transaction_session_timeout=500')
  const replicas = Array.from({ length: 2 }, () =>
    openDatabase(url.href, { name: 'replica', maxConnections: 4, log: silent }),
  )
  t.teardown(() => Promise.all(replicas.map((replica) => replica.close())))
  const options = { db, log: silent, path: at('a.yml'), mode: 'once' } as const
  await Promise.all(replicas.map((background) => seed({ ...options, background })))
  t.equal((await readLog(db)).length, 1)
})

t.test('a seed that was interrupted is taken up where it stopped', async (t) => {
  const { at, db, keysOf, start } = await open(t, {
    'a.yml': `${namespaced('one', flagFile('a'))}---\n${namespaced('two', flagFile('b'))}`,
  })
  await db.query(`CREATE FUNCTION resource.fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = '57P01'; END $$`)
  await db.query(`CREATE TRIGGER fail BEFORE INSERT ON resource.flags FOR EACH ROW
    WHEN (NEW.namespace_key = 'two') EXECUTE FUNCTION resource.fail()`)
  await t.rejects(start(at('a.yml')), { code: 'unavailable' })
  t.strictSame(await keysOf('one'), ['a'])
  t.strictSame(await db.query(`SELECT FROM resource.namespaces WHERE key = 'two'`), [])
  await db.query('DROP TRIGGER fail ON resource.flags')
  await start(at('a.yml'))
  t.strictSame(await keysOf('two'), ['b'])
  t.equal((await readLog(db)).length, 2)
})

t.test('a large seed is one change', async (t) => {
  const { at, db, start } = await open(t, {})
  const flags = Array.from({ length: 3000 }, (_, i) => ({
    key: `f-${i}`,
    name: 'F',
    type: 'BOOLEAN_FLAG_TYPE',
  }))
  await writeFile(at('a.json'), JSON.stringify({ namespace: 'large', flags }))
  await start(at('a.json'))
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM resource.flags WHERE namespace_key = 'large'`,
  )
  t.equal(row?.count, 3000)
  t.equal((await readLog(db)).length, 1)
})
