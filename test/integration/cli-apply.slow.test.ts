import { join } from 'node:path'
import { createApi } from '@svc/client/api'
import t from 'tap'
import { startStack } from '../support/stack.ts'
import { svcFor } from '../support/svc.ts'

const shop = `namespace: { key: shop, name: Shop }
flags:
- { key: checkout, name: Checkout, type: BOOLEAN_FLAG_TYPE, enabled: true }
---
namespace: team
flags:
- { key: search, name: Search, type: BOOLEAN_FLAG_TYPE }
`

t.test('svc apply and diff', async (t) => {
  const { urls, token } = await startStack(t)
  const api = createApi({ url: urls[0], token })
  const svc = svcFor({ url: urls[0], token })
  const directory = t.testdir({
    'shop.yml': shop,
    'other.yml': shop.replace('name: Checkout', 'name: Other'),
    'bare.yml': 'flags:\n- { key: bare, name: Bare }\n',
    'wrong.yml': shop.replace(/}\n$/, ', rollouts: [{ segment: { key: nope, value: true } }] }\n'),
    'typo.yml': 'flags:\n- { key: a, name: A, enbled: true }\n',
  })
  const file = (name: string) => join(directory, name)
  const nameOf = async (namespaceKey: string, key: string) =>
    (await api.documents.getFlag({ namespaceKey, key })).flag.name

  await t.test('show what would change, also where there is no namespace yet', async (t) => {
    const { code, stdout } = await svc(['diff', file('shop.yml')])
    t.equal(code, 3)
    t.match(stdout, /^shop \(new\)\n {2}\+ flag checkout\nteam \(new\)\n {2}\+ flag search\n/)
    const missing = api.namespaces.get({ key: 'shop' })
    await t.rejects(missing, { message: /not found/ })
  })

  await t.test('all is written in one go, or nothing', async (t) => {
    const wrong = await svc(['apply', file('wrong.yml')])
    t.equal(wrong.code, 1)
    t.match(wrong.stderr, /wrong\.yml:7:3: flag "team\/search".*segment "team\/nope" not found/)
    t.strictSame(
      (await api.namespaces.list()).namespaces.map(({ key }) => key),
      ['default'],
    )
    t.equal((await svc(['apply', file('shop.yml'), '--comment', 'as agreed'])).code, 0)
    t.equal(await nameOf('team', 'search'), 'Search')
    const { changes } = await api.changes.list({ namespaceKey: 'shop', limit: 1 })
    t.match(changes, [{ comment: 'as agreed', source: 'apply' }])
    t.match(await svc(['diff', file('shop.yml')]), { code: 0, stdout: /^nothing to change/ })
  })

  await t.test('what the files do not have stays', async (t) => {
    const key = 'by-hand'
    await api.flags.create({ namespaceKey: 'shop', key, name: key, type: 'BOOLEAN_FLAG_TYPE' })
    t.match((await svc(['apply', file('shop.yml')])).stdout, /^nothing to change/)
    t.equal(await nameOf('shop', key), key)
  })

  await t.test('a plan that went stale ends with 4', async (t) => {
    const dry = await svc(['apply', file('other.yml'), '--dry-run', '--exit-code', '--json'])
    t.equal(dry.code, 3)
    const { plan, namespaces } = JSON.parse(dry.stdout)
    t.equal(JSON.parse((await svc(['diff', file('other.yml'), '--json'])).stdout).plan, plan)
    t.notOk('revision' in namespaces[0])
    const operations = [{ kind: 'FLAG_KIND', key: 'checkout', patch: { enabled: false } }] as const
    await api.documents.apply({ namespaceKey: 'shop', operations })
    const apply = ['apply', file('other.yml'), '--plan']
    t.match(await svc([...apply, plan]), { code: 4, stderr: /the plan is another one now/ })
    t.equal(await nameOf('shop', 'checkout'), 'Checkout')
    const next = await svc(['diff', file('other.yml'), '--json'])
    t.equal((await svc([...apply, JSON.parse(next.stdout).plan])).code, 0)
    t.equal(await nameOf('shop', 'checkout'), 'Other')
    const { drafts } = await api.drafts.list({ namespaceKey: 'shop' })
    t.notOk(
      drafts.some(({ state }) => state === 'OPEN_DRAFT_STATE'),
      'no draft is left',
    )
  })

  await t.test('a file that names no namespace is of that of the command', async (t) => {
    t.equal((await svc(['apply', file('bare.yml'), '-n', 'team'])).code, 0)
    t.equal(await nameOf('team', 'bare'), 'Bare')
    t.equal(
      (await svc(['apply', '-'], { stdin: 'flags:\n- { key: piped, name: Piped }\n' })).code,
      0,
    )
    t.equal(await nameOf('default', 'piped'), 'Piped')
  })

  await t.test('a manager keeps them, and another one takes them over when told so', async (t) => {
    t.equal((await svc(['apply', file('bare.yml'), '--manager', 'git'])).code, 0)
    const other = ['apply', file('bare.yml'), '--manager', 'terraform']
    t.match(await svc(other), { code: 4, stderr: /is kept by "git"/ })
    t.equal((await svc([...other, '--take-over'])).code, 0)
    const { managedBy } = await api.documents.getFlag({ namespaceKey: 'default', key: 'bare' })
    t.equal(managedBy, 'terraform')
  })

  await t.test('what is wrong ends with 2', async (t) => {
    const cases: readonly [readonly string[], RegExp][] = [
      [['apply', file('typo.yml')], /typo\.yml:2:22: flags\[0\]\.enbled: is unknown.*"enabled"/],
      [['apply', file('nothing.yml')], /nothing\.yml/],
      [['apply', file('bare.yml'), '--take-over'], /--take-over needs --manager/],
      [['apply', file('bare.yml'), '--exit-code'], /--exit-code needs --dry-run/],
      [['diff'], /missing required argument 'FILE'/],
    ]
    for (const [argv, said] of cases) {
      const { code, stderr } = await svc(argv)
      t.equal(code, 2, argv.join(' '))
      t.match(stderr, said)
    }
  })
})
