import { readFileSync } from 'node:fs'
import { type Api, createApi } from '@svc/client/api'
import { loadContract, type Operation } from '@svc/contract'
import t from 'tap'
import { startStack } from '../support/stack.ts'

/** The example of a page that turns a flag on, for a namespace. */
function exampleOf(page: string, namespaceKey: string): (api: Api) => Promise<void> {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8')
  const [, example = ''] = /^(const flag = await api\.flags\.get.*?)^```/ms.exec(text) ?? []
  const program = example.replace("'default'", `'${namespaceKey}'`)
  return new Function('api', `return (async () => {${program}})()`) as (api: Api) => Promise<void>
}

t.test('the typed management API', async (t) => {
  const { urls, token } = await startStack(t)
  const api = createApi({ url: urls[0], token })
  const flag = { namespaceKey: 'default', key: 'checkout' }

  await t.test('makes, changes, reads and evaluates a flag', async (t) => {
    const type = 'BOOLEAN_FLAG_TYPE'
    const created = await api.flags.create({ ...flag, name: 'Checkout', type })
    t.match(created, { key: 'checkout', enabled: false, variants: [] })
    let revision: string | undefined
    await api.rollouts.create(
      { namespaceKey: 'default', flagKey: 'checkout', threshold: { percentage: 100, value: true } },
      {
        comment: 'für alle',
        onAnswer(answer) {
          revision = answer.revision
        },
      },
    )
    t.match(revision, /^default:\d+$/)
    const question = { namespaceKey: 'default', flagKey: 'checkout', entityId: 'user-42' }
    const answer = await api.evaluation.evaluateBoolean(question, { minRevision: revision })
    t.match(answer, { enabled: true, reason: 'MATCH_EVALUATION_REASON' })
    const { flags, totalCount } = await api.flags.list({ namespaceKey: 'default', q: 'CHECK' })
    t.equal(totalCount, 1)
    t.equal(flags[0]?.key, 'checkout')
  })

  for (const page of ['docs/sdk.md', 'packages/client/README.md']) {
    await t.test(`changes what the example of ${page} says, and no more`, async (t) => {
      const [namespaceKey, key] = [page.replace(/\W/g, '-'), 'checkout']
      await api.namespaces.create({ key: namespaceKey, name: page })
      await api.flags.create({ namespaceKey, key, name: 'Checkout', type: 'VARIANT_FLAG_TYPE' })
      const { id } = await api.variants.create({ namespaceKey, flagKey: key, key: 'blue' })
      await api.flags.update({ namespaceKey, key, name: 'Checkout', defaultVariantId: id })
      await exampleOf(page, namespaceKey)(api)
      t.match(await api.flags.get({ namespaceKey, key }), { enabled: true, defaultVariant: { id } })
    })
  }

  await t.test('says what is wrong', async (t) => {
    const call = api.flags.get({ namespaceKey: 'default', key: 'nope' })
    await t.rejects(call, {
      name: 'SvcError',
      message: 'flag "default/nope" not found',
      status: 404,
      code: 5,
    })
  })

  await t.test(
    'has every operation that programs call, but for the older evaluation',
    async (t) => {
      const isCalled = ({ service, bindings, isStream, route }: Operation) =>
        bindings.length > 0 &&
        !isStream &&
        route.login !== 'CALLBACK' &&
        route.body === 'JSON' &&
        !service.endsWith('LegacyEvaluationService')
      const calls = Object.values(api).flatMap((group) => Object.keys(group))
      t.equal(calls.length, loadContract().operations.filter(isCalled).length)
    },
  )
})
