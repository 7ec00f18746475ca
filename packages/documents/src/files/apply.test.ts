import t from 'tap'
import { toDocument } from '../reading.ts'
import { type NamespaceOperations, planApply } from './apply.ts'
import type { ApplyApi, Draft, PlannedItem } from './apply-api.ts'
import { type Operation, setOperations } from './operations.ts'
import { toParts } from './parts.ts'

/** What a call is refused with. */
function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status })
}

interface Service {
  /** Namespaces that there are. */
  readonly keys: Set<string>
  /** What is in namespaces by now that others have made; nothing in the others. */
  readonly held: Map<string, { readonly flagCount: number; readonly segmentCount: number }>
  /** Drafts that there are, with their operations. */
  readonly drafts: Map<string, { readonly namespaceKey: string; readonly parts: Operation[][] }>
  /** What was called, in order. */
  readonly calls: string[]
  /** Thrown by a call, once for each error, before it does anything. */
  readonly errors: Map<string, Error[]>
  /** What has become of drafts that are applied, one for each look. */
  readonly states: Pick<Draft, 'state' | 'failure' | 'failureReason'>[]
  /** Keys of operations that change nothing. */
  readonly equal: Set<string>
  readonly api: ApplyApi
}

const item = ({ kind, key }: Operation): PlannedItem => ({
  ...{ kind, key, action: 'CREATED_ACTION', changes: [], revision: 0, managedBy: '', isCut: false },
})

/** A service without a memory of what is in its namespaces. */
function fakeService(...keys: readonly string[]): Service {
  const service = {
    keys: new Set(keys),
    held: new Map<string, { flagCount: number; segmentCount: number }>(),
    drafts: new Map<string, { namespaceKey: string; parts: Operation[][] }>(),
    calls: [] as string[],
    errors: new Map<string, Error[]>(),
    states: [] as Pick<Draft, 'state' | 'failure' | 'failureReason'>[],
    equal: new Set<string>(),
  }
  const called = (name: string, detail = '') => {
    service.calls.push(detail === '' ? name : `${name} ${detail}`)
    const error = service.errors.get(name)?.shift()
    if (error !== undefined) throw error
  }
  const plan = (operations: readonly Operation[]) => {
    const items = operations.filter(({ key }) => !service.equal.has(key)).map(item)
    return { plan: `plan-${operations.length}`, items, unchanged: operations.length - items.length }
  }
  const state = (id: string, more: Partial<Draft>): Draft => ({
    ...{ id, namespaceKey: service.drafts.get(id)?.namespaceKey ?? '' },
    ...{ state: 'OPEN_DRAFT_STATE', revision: 0, failure: '', failureReason: '', ...more },
  })
  const api: ApplyApi = {
    namespaces: {
      async get({ key, view }) {
        called('namespaces.get', key)
        if (!service.keys.has(key)) throw refusal(404, `namespace "${key}" not found`)
        if (view === undefined) return {}
        return service.held.get(key) ?? { flagCount: 0, segmentCount: 0 }
      },
      async create({ key }) {
        called('namespaces.create', key)
        service.keys.add(key)
        return {}
      },
      async delete({ key }) {
        called('namespaces.delete', key)
        service.keys.delete(key)
        return {}
      },
    },
    documents: {
      async apply({ operations, dryRun, plan: expected = '' }) {
        called('documents.apply', dryRun === true ? 'dry' : expected)
        return { revision: dryRun === true ? 0 : 7, ...plan(operations) }
      },
    },
    drafts: {
      async create({ namespaceKey }) {
        called('drafts.create', namespaceKey)
        const id = `draft-${service.drafts.size + 1}-of-${namespaceKey}`
        service.drafts.set(id, { namespaceKey, parts: [] })
        return state(id, {})
      },
      async addOperations({ id, part, operations }) {
        called('drafts.addOperations', `${id} ${part}: ${operations.length}`)
        service.drafts.get(id)?.parts.splice(part - 1, 1, [...operations])
        return {}
      },
      async plan({ id }) {
        called('drafts.plan', id)
        return { ...plan(service.drafts.get(id)?.parts.flat() ?? []), nextPageToken: '' }
      },
      async get({ id }) {
        called('drafts.get', id)
        return state(id, service.states.shift() ?? { state: 'APPLIED_DRAFT_STATE', revision: 9 })
      },
      async delete({ id }) {
        called('drafts.delete', id)
        service.drafts.delete(id)
        return {}
      },
      async apply({ drafts }) {
        called('drafts.apply', drafts.map((one) => `${one.id}@${one.plan ?? ''}`).join())
        return {}
      },
    },
  }
  return { ...service, api }
}

function flags(count: number): Operation[] {
  const documents = Array.from({ length: count }, (_, n) =>
    toDocument('flag', { key: `flag-${n}`, name: `Flag ${n}` }),
  )
  return setOperations({ flags: documents, segments: [] })
}

function change(namespaceKey: string, count: number, isCreated = false): NamespaceOperations {
  const create = isCreated ? { create: { name: namespaceKey } } : {}
  return { namespaceKey, operations: flags(count), ...create }
}

t.test('what fits in one request is one request', async (t) => {
  const { api, calls } = fakeService('shop')
  const planned = await planApply(api, [change('shop', 3)])
  const [plan] = planned.plans
  t.strictSame(Object.keys(plan ?? {}), ['namespaceKey', 'isNew', 'plan', 'items', 'unchanged'])
  t.match(plan, { namespaceKey: 'shop', isNew: false, plan: 'plan-3', unchanged: 0 })
  t.strictSame(await planned.apply(), [{ namespaceKey: 'shop', isNew: false, revision: 7 }])
  t.strictSame(calls, ['documents.apply dry', 'documents.apply plan-3'])
})

t.test('what does not fit is a draft in parts', async (t) => {
  const { api, calls } = fakeService('shop')
  const steps: string[] = []
  const planned = await planApply(api, [change('shop', 1500)], {
    onProgress: ({ step, done, total }) => steps.push(`${step} ${done}/${total}`),
  })
  t.strictSame(await planned.apply(), [{ namespaceKey: 'shop', isNew: false, revision: 9 }])
  const id = 'draft-1-of-shop'
  t.strictSame(calls, [
    'drafts.create shop',
    `drafts.addOperations ${id} 1: 1000`,
    `drafts.addOperations ${id} 2: 500`,
    `drafts.plan ${id}`,
    `drafts.apply ${id}@plan-1500`,
    `drafts.get ${id}`,
  ])
  t.strictSame(steps, [
    'sending 1000/1500',
    'sending 1500/1500',
    'planning 1500/1500',
    'applying 0/1500',
  ])
})

t.test('several namespaces are drafts that are applied together', async (t) => {
  const { api, calls, equal } = fakeService('a', 'b', 'c')
  const same = { namespaceKey: 'c', operations: flags(4).slice(3) }
  equal.add('flag-3')
  const planned = await planApply(api, [change('a', 1), change('b', 2), same])
  t.match(planned.plans, [{ items: { length: 1 } }, { items: { length: 2 } }, { items: [] }])
  t.match(await planned.apply(), [{ namespaceKey: 'a' }, { namespaceKey: 'b' }])
  t.ok(calls.includes('drafts.delete draft-3-of-c'), 'what changes nothing is not applied')
  t.ok(calls.includes('drafts.apply draft-1-of-a@plan-1,draft-2-of-b@plan-2'))
})

t.test('a plan is applied once', async (t) => {
  const { api, calls, states } = fakeService('a', 'b')
  states.push({ state: 'FAILED_DRAFT_STATE', failure: 'changed', failureReason: 'plan_changed' })
  const planned = await planApply(api, [change('a', 1), change('b', 1)])
  await t.rejects(planned.apply(), { name: 'ApplyError', reason: 'plan_changed' })
  const { length } = calls
  await t.rejects(planned.apply(), { name: 'ApplyError', reason: 'plan_used' })
  t.equal(calls.length, length, 'nothing is asked again, and nothing said to be done')
})

t.test('what is being applied is not discarded', async (t) => {
  const { api, calls, drafts } = fakeService('a', 'b')
  const planned = await planApply(api, [change('a', 1), change('b', 1)])
  const applying = planned.apply()
  await planned.discard()
  t.match(await applying, [{ namespaceKey: 'a' }, { namespaceKey: 'b' }])
  t.notOk(calls.some((call) => call.startsWith('drafts.delete')))
  t.equal(drafts.size, 2)
})

t.test('a new namespace', async (t) => {
  await t.test('is planned without being made, and made first', async (t) => {
    const { api, calls } = fakeService('a')
    const planned = await planApply(api, [change('a', 1, true), change('new', 2, true)])
    t.match(planned.plans, [{ isNew: false }, { isNew: true, items: { length: 2 } }])
    t.notOk(calls.some((call) => /namespaces.create|create new/.test(call)))
    t.match(await planned.apply(), [{ isNew: false }, { namespaceKey: 'new', isNew: true }])
    const [made, sent] = ['namespaces.create new', 'drafts.create new'].map((call) =>
      calls.indexOf(call),
    )
    t.ok(made !== undefined && sent !== undefined && made >= 0 && made < sent)
  })

  await t.test('is gone again when the rest is refused, and so are the drafts', async (t) => {
    const { api, keys, drafts, states } = fakeService('a')
    states.push({
      ...{
        state: 'FAILED_DRAFT_STATE',
        failure: 'an object has changed',
        failureReason: 'plan_changed',
      },
    })
    const planned = await planApply(api, [change('a', 1), change('new', 1, true)])
    await t.rejects(planned.apply(), { name: 'ApplyError', reason: 'plan_changed' })
    t.strictSame([...keys], ['a'])
    t.equal(drafts.size, 0)
  })

  await t.test('is gone again when Ctrl-C comes before all is sent', async (t) => {
    const { api, calls, keys, drafts, errors } = fakeService()
    const controller = new AbortController()
    const { signal } = controller
    const planned = await planApply(api, [change('new', 1500, true)], { signal })
    errors.set('drafts.addOperations', [refusal(503, 'unavailable')])
    controller.abort(new Error('enough'))
    await t.rejects(planned.apply(), { message: 'enough' })
    t.ok(calls.includes('namespaces.create new'))
    t.strictSame([...keys], [])
    t.equal(drafts.size, 0)
  })

  await t.test('stays when there is something in it by now', async (t) => {
    const { api, keys, held, errors } = fakeService()
    held.set('flags', { flagCount: 1, segmentCount: 0 })
    held.set('segments', { flagCount: 0, segmentCount: 1 })
    const names = ['empty', 'flags', 'segments']
    for (const name of names) {
      errors.set('documents.apply', [refusal(400, 'no good')])
      const planned = await planApply(api, [change(name, 1, true)])
      await t.rejects(planned.apply(), { message: /no good/ })
    }
    t.strictSame([...keys], ['flags', 'segments'])
  })

  await t.test('stays when it is not known what is in it', async (t) => {
    const { api, keys, errors } = fakeService()
    const planned = await planApply(api, [change('new', 1, true)])
    errors.set('documents.apply', [refusal(400, 'no good')])
    errors.set('namespaces.get', [refusal(503, 'unavailable')])
    await t.rejects(planned.apply(), { message: /no good/ })
    t.strictSame([...keys], ['new'])
  })

  await t.test('stays when it is not known what was done', async (t) => {
    const { api, keys, errors } = fakeService()
    errors.set('documents.apply', [refusal(0, 'no answer')])
    const planned = await planApply(api, [change('new', 1, true)])
    await t.rejects(planned.apply(), { message: 'no answer' })
    t.strictSame([...keys], ['new'])
  })
})

t.test('an operation that cannot be done is named', async (t) => {
  const { api, errors, drafts } = fakeService('a', 'b')
  const expected = (key: string, namespaceKey = 'a') => ({
    name: 'ApplyError',
    status: 400,
    message: `flag "${namespaceKey}/${key}": no good`,
    operation: { key },
  })
  errors.set('documents.apply', [refusal(400, 'operations[2]: no good')])
  await t.rejects(planApply(api, [change('a', 3)]), expected('flag-2'))

  errors.set('drafts.addOperations', [refusal(400, 'operations[4]: no good')])
  await t.rejects(planApply(api, [change('a', 1500)]), expected('flag-4'))

  errors.set('drafts.plan', [refusal(400, 'parts[2].operations[4]: no good')])
  await t.rejects(planApply(api, [change('a', 1500)]), expected('flag-1004'))
  t.equal(drafts.size, 0, 'the drafts are gone')

  await t.test('also when drafts that fail together do not say of which it is', async (t) => {
    const { api, errors, states } = fakeService('a', 'b')
    const failure = 'parts[1].operations[1]: no good'
    states.push({ state: 'FAILED_DRAFT_STATE', failure, failureReason: '' })
    const planned = await planApply(api, [change('a', 2), change('b', 2)])
    errors.set('drafts.plan', [refusal(400, 'another'), refusal(400, failure)])
    const { status: _, ...named } = expected('flag-1', 'b')
    await t.rejects(planned.apply(), named)
  })
})

t.test('a draft outlives a restart of the service', async (t) => {
  const { api, calls, errors, states } = fakeService('shop')
  const gone = () => refusal(503, 'unavailable')
  errors.set('drafts.addOperations', [refusal(0, 'cut off')])
  errors.set('drafts.apply', [gone()])
  errors.set('drafts.get', [gone()])
  states.push({ state: 'APPLYING_DRAFT_STATE', failure: '', failureReason: '' })
  const planned = await planApply(api, [change('shop', 1001)])
  t.match(await planned.apply(), [{ revision: 9 }])
  const count = (name: string) => calls.filter((call) => call.startsWith(name)).length
  t.strictSame(['drafts.addOperations', 'drafts.apply', 'drafts.get'].map(count), [3, 2, 3])
})

t.test(
  'the first call is repeated when the service is not available, not without an answer',
  async (t) => {
    const { api, calls, errors } = fakeService('shop')
    errors.set('namespaces.get', [refusal(503, 'unavailable')])
    t.match((await planApply(api, [change('shop', 1, true)])).plans, [{ isNew: false }])
    t.strictSame(calls, ['namespaces.get shop', 'namespaces.get shop', 'documents.apply dry'])
    errors.set('namespaces.get', [refusal(0, 'cannot be reached')])
    await t.rejects(planApply(api, [change('shop', 1, true)]), { message: 'cannot be reached' })
  },
)

t.test('more namespaces than fit in a transaction are refused', async (t) => {
  const keys = Array.from({ length: 201 }, (_, n) => `n-${n}`)
  const { api, drafts } = fakeService(...keys)
  const planned = await planApply(
    api,
    keys.map((key) => change(key, 1)),
  )
  await t.rejects(planned.apply(), { reason: 'too_many_namespaces', message: /at most 200/ })
  t.equal(drafts.size, 0)
})

t.test('Ctrl-C ends the waiting', async (t) => {
  const { api, states } = fakeService('shop')
  const controller = new AbortController()
  for (let n = 0; n < 100; n++) {
    states.push({ state: 'APPLYING_DRAFT_STATE', failure: '', failureReason: '' })
  }
  const planned = await planApply(api, [change('shop', 1001)], { signal: controller.signal })
  const applying = planned.apply()
  controller.abort(new Error('enough'))
  await t.rejects(applying, { message: 'enough' })
})

t.test('parts keep to the bounds of a request', async (t) => {
  const heavy = toDocument('flag', {
    ...{ key: 'heavy', name: 'Heavy' },
    variants: [{ key: 'a', attachment: JSON.stringify('é'.repeat(400_000)) }],
  })
  const operations = setOperations({
    flags: Array.from({ length: 10 }, (_, n) => ({ ...heavy, key: `heavy-${n}` })),
    segments: [],
  })
  const parts = toParts(operations)
  t.strictSame(parts.flat(), operations)
  for (const part of parts) t.ok(Buffer.byteLength(JSON.stringify(part)) < 4 * 2 ** 20)
  t.ok(parts.length < 10, 'and are filled')
  const wide = toDocument('flag', {
    ...{ key: 'wide', name: 'Wide' },
    variants: Array.from({ length: 300 }, (_, n) => ({ key: `v-${n}` })),
  })
  const wides = setOperations({ flags: Array(100).fill(wide), segments: [] })
  for (const part of toParts(wides)) t.ok(part.length * 302 <= 16_384)
})
