import { createApi } from '@svc/client/api'
import t, { type Test } from 'tap'
import { startStack } from '../support/stack.ts'
import { svcFor } from '../support/svc.ts'

async function start(t: Test) {
  const { urls, token } = await startStack(t)
  const api = createApi({ url: urls[0], token })
  const set = async (namespaceKey: string, ...operations: readonly object[]): Promise<number> => {
    const request = { namespaceKey, operations } as Parameters<typeof api.documents.apply>[0]
    return (await api.documents.apply(request)).revision
  }
  const nameOf = async (namespaceKey: string, key: string) =>
    (await api.documents.getFlag({ namespaceKey, key })).flag.name
  /** All of a namespace but for its revision. */
  const read = async (namespaceKey: string) => {
    const { revision: _, ...content } = await api.documents.getNamespace({ namespaceKey })
    return content
  }
  return { api, set, nameOf, read, svc: svcFor({ url: urls[0], token }) }
}

function flag(key: string, name: string, more: object = {}) {
  return { kind: 'FLAG_KIND', key, flag: { name, type: 'BOOLEAN_FLAG_TYPE', ...more } }
}

function segment(key: string, name = key) {
  return { kind: 'SEGMENT_KIND', key, segment: { name } }
}

const forEu = { rollouts: [{ segment: { segments: ['eu'], value: true } }] }

const share = { rollouts: [{ threshold: { percentage: 5, value: true } }] }

t.test('svc promote', async (t) => {
  const { api, set, nameOf, read, svc } = await start(t)
  for (const key of ['staging', 'prod']) await api.namespaces.create({ key, name: key })
  const promote = (...argv: readonly string[]) => svc(['promote', 'staging', 'prod', ...argv])
  await set('staging', segment('eu'), flag('checkout', 'one', { ...forEu, enabled: true }))

  await t.test('shows what it would do, and does just that', async (t) => {
    const dry = await promote('checkout', '--dry-run', '--exit-code')
    t.equal(dry.code, 3)
    t.match(
      dry.stdout,
      /^prod\n {2}\+ segment eu\n {2}\+ flag checkout\n2 created · nothing was written\nplan /,
    )
    const plan = /plan (\S+)/.exec(dry.stdout)?.[1] ?? ''
    const wrong = await promote('checkout', '--plan', 'another')
    t.match([wrong.code, wrong.stderr], [4, /the plan is another one now/])
    t.strictSame((await read('prod')).flags, [])
    const done = await promote('checkout', '--plan', plan, '--json', '--comment', 'ship it')
    t.equal(done.code, 0)
    t.match(JSON.parse(done.stdout), {
      isDryRun: false,
      plan,
      namespaces: [{ namespaceKey: 'prod', items: [{ key: 'eu' }, { key: 'checkout' }] }],
      promotion: [
        { kind: 'segment', key: 'eu', verdict: 'created', neededBy: ['checkout'] },
        { kind: 'flag', key: 'checkout', verdict: 'created' },
      ],
    })
    const { changes } = await api.changes.list({ namespaceKey: 'prod', limit: 1 })
    t.match(changes, [{ comment: 'ship it', details: { from: /^staging:\d+$/ } }])
    const { flag } = await api.documents.getFlag({ namespaceKey: 'prod', key: 'checkout' })
    t.equal(flag.enabled, false, 'the state belongs to its place')
    t.match((await promote('checkout')).stdout, /^nothing to change: 2 unchanged\n$/)
    await promote('checkout', '--with-state')
    const again = await api.documents.getFlag({ namespaceKey: 'prod', key: 'checkout' })
    t.equal(again.flag.enabled, true)
  })

  await t.test('keeps what only the target has changed', async (t) => {
    await set('prod', flag('checkout', 'mine', forEu))
    const { code, stdout, stderr } = await promote('checkout')
    t.equal(code, 0)
    t.match(stdout, /^nothing to change/)
    t.match(stderr, /flag checkout stays as it is in prod, which has changed it since: name/)
    t.equal(await nameOf('prod', 'checkout'), 'mine')
  })

  await t.test('refuses a conflict, unless told whose it is', async (t) => {
    await set('staging', flag('checkout', 'two', forEu))
    const conflict = await promote('checkout')
    t.equal(conflict.code, 4)
    t.match(conflict.stderr, /flag checkout was changed in both/)
    t.match(conflict.stderr, /staging {2}name: "one" → "two"\n {4}prod {2}name: "one" → "mine"/)
    t.equal(await nameOf('prod', 'checkout'), 'mine')
    const json = await promote('checkout', '--json')
    t.equal(json.code, 4)
    t.match(JSON.parse(json.stdout).promotion.at(-1), {
      verdict: 'conflict',
      sourceChanges: [{ path: 'name', before: '"one"', after: '"two"' }],
      targetChanges: [{ path: 'name', before: '"one"', after: '"mine"' }],
    })
    t.equal((await promote('checkout', '--ours')).code, 0)
    t.equal(await nameOf('prod', 'checkout'), 'mine')
    t.equal((await promote('checkout', '--theirs')).code, 0)
    t.equal(await nameOf('prod', 'checkout'), 'two')
    t.equal((await promote('checkout')).code, 0, 'it is resolved')
  })

  await t.test('takes segments along, and says who else that concerns', async (t) => {
    await set('prod', flag('other', 'other', forEu))
    await set('staging', segment('eu', 'Europe'), flag('checkout', 'three', forEu))
    await promote('checkout', '--without-segments')
    t.match((await read('prod')).segments, [{ key: 'eu', name: 'eu' }])
    const { stderr } = await promote('checkout')
    t.match(stderr, /segment eu of staging also changes who gets other in prod/)
    t.match((await read('prod')).segments, [{ key: 'eu', name: 'Europe' }])
    await set(
      'staging',
      segment('new'),
      flag('late', 'late', { rollouts: [{ segment: { segments: ['new'] } }] }),
    )
    const lacking = await promote('late', '--without-segments')
    t.match([lacking.code, lacking.stderr], [1, /prod lacks segments that the flags need: new/])
  })

  await t.test('refuses what it cannot do', async (t) => {
    const cases: readonly [readonly string[], number, RegExp][] = [
      [['staging', 'staging', 'checkout'], 2, /the same namespace/],
      [['staging', 'prod', 'checkout', '--ours', '--theirs'], 2, /one outcome/],
      [['staging', 'prod', 'chekout'], 1, /"staging\/chekout" not found\nDid you mean "checkout"/],
      [['stagin', 'prod', 'checkout'], 1, /namespace "stagin" not found\nDid you mean "staging"/],
      [['staging', 'pro', 'checkout'], 1, /namespace "pro" not found\nDid you mean "prod"/],
      [['staging', 'prod'], 2, /missing required argument 'KEYS'/],
    ]
    for (const [argv, code, said] of cases) {
      const ended = await svc(['promote', ...argv])
      t.equal(ended.code, code, argv.join(' '))
      t.match(ended.stderr, said)
    }
    await set('staging', {
      kind: 'FLAG_KIND',
      key: 'kind',
      flag: { name: 'k', type: 'VARIANT_FLAG_TYPE' },
    })
    await set('prod', flag('kind', 'k'))
    const other = await promote('kind')
    t.match([other.code, other.stderr], [1, /its type cannot be changed/])
  })
})

t.test('svc undo', async (t) => {
  const { set, nameOf, svc } = await start(t)
  await set('default', flag('f', 'one'))
  const second = await set('default', flag('f', 'two', { description: 'd' }))
  const dry = await svc(['undo', `${second}`, '--dry-run', '--exit-code'])
  t.equal(dry.code, 3)
  t.match(dry.stdout, /name: "two" → "one"/)
  t.equal(await nameOf('default', 'f'), 'two')
  const done = await svc(['undo', `${second}`, '--comment', 'incident 311'])
  t.equal(done.code, 0)
  t.match(
    done.stdout,
    /^default\n {2}~ flag f\n {6}name: "two" → "one"\n[\s\S]*default is at revision \d+ · live on 1\/1/,
  )
  t.equal(await nameOf('default', 'f'), 'one')
  t.match(
    (await svc(['changes', '--limit', '1'])).stdout,
    new RegExp(`undo of ${second} · incident 311`),
  )

  const third = await set('default', flag('f', 'three'))
  await set('default', flag('f', 'four'))
  const conflict = await svc(['undo', `${third}`])
  t.match([conflict.code, conflict.stderr], [4, /has changed since: name/])
  t.equal((await svc(['undo', `${third}`, '--force'])).code, 0)
  t.equal(await nameOf('default', 'f'), 'one')
  t.match(await svc(['undo', 'third']), { code: 2, stderr: /"third" is no revision/ })
  t.match(await svc(['undo', '999999']), { code: 1, stderr: /not found/ })
})

t.test('svc restore', async (t) => {
  const { api, set, read, svc } = await start(t)
  const at = await set(
    'default',
    segment('eu'),
    flag('kept', 'one', share),
    flag('gone', 'gone', forEu),
  )
  const then = await read('default')
  await set('default', flag('kept', 'two', share), { kind: 'FLAG_KIND', key: 'gone', delete: true })
  await set('default', { kind: 'SEGMENT_KIND', key: 'eu', delete: true }, flag('new', 'new'))
  await api.namespaces.update({ key: 'default', name: 'Renamed', color: 'red', confirm: true })
  const before = await read('default')

  const dry = await svc(['restore', '--at', `${at}`, '--dry-run', '--exit-code', '--json'])
  t.equal(dry.code, 3)
  t.strictSame(await read('default'), before)
  const { plan } = JSON.parse(dry.stdout)
  const done = await svc(['restore', '--at', `${at}`, '--plan', plan])
  t.equal(done.code, 0)
  t.match(done.stdout, /\+ segment eu[\s\S]*\+ flag gone[\s\S]*- flag new/)
  t.strictSame(await read('default'), then, 'with the ids of before')
  t.match((await svc(['restore', '--at', `${at}`])).stdout, /^nothing to change/)

  const { changes } = await api.changes.list({ namespaceKey: 'default', limit: 1 })
  await svc(['undo', `${changes[0]?.revision}`])
  t.strictSame(await read('default'), before, 'and it can be undone')

  const parts = (...keys: readonly string[]) =>
    flag('kept', 'two', { variants: keys.map((key) => ({ key })) })
  const idsOf = async () => {
    const { variants } = (await api.documents.getFlag({ namespaceKey: 'default', key: 'kept' }))
      .flag
    return new Map(variants.map(({ key, id }) => [key, id]))
  }
  const whole = await set('default', parts('a', 'b'))
  const ids = await idsOf()
  const lacking = await set('default', parts('a'))
  await svc(['restore', '--at', `${whole}`])
  const restored = await idsOf()
  t.strictSame([...restored.keys()], ['a', 'b'])
  t.equal(restored.get('a'), ids.get('a'), 'what was there keeps its id')
  t.not(restored.get('b'), ids.get('b'), 'what was not gets a new one')
  t.match((await svc(['restore', '--at', `${whole}`])).stdout, /^nothing to change/)
  await set('default', parts('a'))
  await svc(['undo', `${lacking}`])
  t.strictSame(await idsOf(), ids, 'undo brings back the id')

  t.match(await svc(['restore', '--at', 'x']), { code: 2, stderr: /--at takes a revision/ })
  t.match(await svc(['restore', '--at', '999999']), { code: 1, stderr: /is not there yet/ })
  t.match(await svc(['restore']), { code: 2, stderr: /required option '--at <REVISION>'/ })
})
