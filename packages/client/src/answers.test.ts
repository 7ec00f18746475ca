import t from 'tap'
import { differences, noAnswers, readAnswers } from './answers.ts'

const endpoint = { requestUri: '/ofrep/v1/namespaces/shop/events?since=41&ticket=x' }
const body = {
  flags: [
    { key: 'on', reason: 'DEFAULT', variant: 'true', value: true, metadata: {} },
    {
      ...{ key: 'color', reason: 'TARGETING_MATCH', variant: 'blue', value: 'blue' },
      metadata: { segments: 'a,b', attachment: '{"a":1}' },
    },
    { key: 'none', reason: 'UNKNOWN', variant: '', metadata: {} },
    { key: 'off', reason: 'DISABLED', variant: 'x', value: 'x' },
  ],
  eventStreams: [{ type: 'sse', endpoint, inactivityDelaySec: 120 }],
}

t.test('answers of OFREP are those of the engine', async (t) => {
  const { byKey, revision } = readAnswers(JSON.stringify(body))
  t.equal(revision, 41)
  const variant = { match: false, variantKey: '', variantAttachment: '', segmentKeys: [] }
  t.strictSame(Object.fromEntries(byKey), {
    on: { enabled: true, reason: 'DEFAULT_EVALUATION_REASON', segmentKeys: [] },
    color: {
      match: true,
      variantKey: 'blue',
      variantAttachment: '{"a":1}',
      reason: 'MATCH_EVALUATION_REASON',
      segmentKeys: ['a', 'b'],
    },
    none: { ...variant, reason: 'UNKNOWN_EVALUATION_REASON' },
    off: { ...variant, variantKey: 'x', reason: 'FLAG_DISABLED_EVALUATION_REASON' },
  })
  t.equal(readAnswers('{"flags":[]}').revision, undefined)
  for (const text of ['', '{}', 'null', '{"flags":7}']) t.throws(() => readAnswers(text), text)
})

t.test('flags that are answered otherwise, are new or gone are known', async (t) => {
  const before = readAnswers(JSON.stringify(body))
  t.strictSame(differences(before, before), [])
  t.strictSame(differences(noAnswers, before), ['on', 'color', 'none', 'off'])
  const [on, color] = body.flags
  const flags = [{ ...on, value: false, variant: 'false' }, color]
  t.strictSame(differences(before, readAnswers(JSON.stringify({ flags }))), ['on', 'none', 'off'])
})
