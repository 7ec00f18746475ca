import { fromJson, toJson } from '@bufbuild/protobuf'
import { bound } from '@svc/contract/testing'
import { explain } from '@svc/evaluation/explain'
import { randomCases } from '@svc/evaluation/testing'
import { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState } from '@svc/proto/resource/v1/watch'
import { AppError } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import type { Exchange } from '../../http/exchange.ts'
import { change, inStep, openReplica } from '../../replica/testing.ts'
import { booleanState, segmentFor } from '../snapshot/testing.ts'
import { insightAnswerers } from './answerers.ts'

const route = bound('Explain')

t.test('explanations are the JSON of their message, members in its order', async (t) => {
  const { output } = route.operation
  const wrong = randomCases(1000, 20_261_124).filter(({ flag, segments, entityId, context }) => {
    const byKey = new Map(segments.map((segment) => [segment.key, segment]))
    const place = { namespaceKey: 'n', revision: 42 }
    const explanation = explain({ ...place, flag, segments: byKey, entityId, context })
    const text = JSON.stringify(explanation)
    const message = fromJson(output, JSON.parse(text))
    return JSON.stringify(toJson(output, message, { alwaysEmitImplicit: true })) !== text
  })
  t.strictSame(wrong.slice(0, 2), [])
})

t.test('what the gateway answers', async (t) => {
  const { replica, clock, resource } = await openReplica(t)
  const answerer = insightAnswerers(replica).get(route.operation.path)?.(route)
  const ask = (body: object) => {
    const headers: string[] = []
    const exchange = {
      request: { body: Buffer.from(JSON.stringify(body)) },
      isPretty: false,
      setHeader: (...header: string[]) => headers.push(...header),
    } as unknown as Exchange
    const call = answerer?.prepare(exchange)
    if (call instanceof Promise) throw new Error('nothing has to be waited for')
    const text = call?.answer(undefined)
    return { headers, explanation: JSON.parse(String(text)) }
  }
  const refusal = (body: object) => {
    try {
      ask(body)
    } catch (error) {
      if (error instanceof AppError) return [error.code, error.message]
    }
    return undefined
  }

  await t.test('is nothing before there are flags', async (t) => {
    t.strictSame(refusal({ flagKey: 'on' }), ['unavailable', 'flags are not loaded yet, try again'])
  })

  await t.test('is of the revision that is here', async (t) => {
    resource.send(change('default', [0, 5], ['on']), ...inStep())
    await waitFor(() => replica.isCurrent)
    const { explanation, headers } = ask({ flag_key: 'on', entityId: 'e', context: { n: 1 } })
    t.match(explanation, { namespaceKey: 'default', flagKey: 'on', entityId: 'e', revision: 5 })
    t.match(explanation, { boolean: { enabled: false }, reason: 'DEFAULT_EVALUATION_REASON' })
    t.strictSame(headers, [])
    resource.send(change('default', [5, 9], ['on']))
    await waitFor(() => replica.revisionOf('default') === 9)
    t.equal(ask({ flagKey: 'on' }).explanation.revision, 9)
  })

  await t.test('is refused as an evaluation is', async (t) => {
    const notFound = (flag: string) => ['not_found', `flag "${flag}" not found`]
    t.strictSame(refusal({ flagKey: 'off' }), notFound('default/off'))
    t.strictSame(refusal({}), notFound('default/'))
    t.strictSame(refusal({ namespaceKey: 'none', flagKey: 'on' }), notFound('none/on'))
    const [code, message] = refusal({ flagKey: 1 }) ?? []
    t.equal(code, 'invalid_argument')
    t.match(message, /flagKey must be a string$/)
    t.strictSame(refusal({ flagKey: 'on', context: { n: 'x'.repeat(65_536) } })?.[0], code)
  })

  await t.test('is refused when it would be too long', async (t) => {
    const large = segmentFor('pro', 'x'.repeat(256))
    const constraints = Array.from({ length: 12_000 }, () => large.constraints?.[0])
    const segments = [Segment.fromPartial({ ...large, constraints } as object)]
    const state = FlagState.fromPartial(booleanState('busy') as object)
    const flags = [Buffer.from(FlagState.encode(state).finish())]
    resource.send(change('default', [9, 10], [], { flags, segments }))
    await waitFor(() => replica.revisionOf('default') === 10)
    t.strictSame(refusal({ flagKey: 'busy' }), [
      'invalid_argument',
      'flag "default/busy" cannot be explained in 4 MiB: its segments have too many constraints',
    ])
    t.equal(ask({ flagKey: 'on' }).explanation.revision, 10, 'another flag is explained')
  })

  await t.test('says how old it may be', async (t) => {
    resource.hangUp()
    await waitFor(() => !replica.isCurrent)
    clock.nowMs += 2500
    t.strictSame(ask({ flagKey: 'on' }).headers, ['x-svc-data-age', '3'])
  })
})
