import { createApi } from '@svc/client/api'
import { loadContract, type Operation } from '@svc/contract'
import t from 'tap'
import { startStack } from '../support/stack.ts'

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
