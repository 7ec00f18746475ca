import type { EvaluationDetails, FlagValue } from '@openfeature/core'
import type { Behaviour, Service } from './behaviour.ts'
import { startApplication } from './behaviour.ts'
import {
  contexts,
  type EvaluationCase,
  mismatches,
  missing,
  served,
  unserved,
} from './evaluation.cases.ts'

const error = ['1.4.8', '1.4.9', '1.4.10', '1.4.13', '2.2.7', '2.3.3']

export const evaluation: readonly Behaviour[] = [
  table('what a flag serves', served, [
    ...['1.4.3', '1.4.5', '1.4.6', '1.4.7', '2.2.1', '2.2.2.1', '2.2.3', '2.2.4', '2.2.5'],
    ...['2.2.6', '2.3.2'],
  ]),
  table('values in the context', contexts, ['3.1.1', '3.1.2']),
  table('where nothing is served', unserved, ['2.2.3', '2.2.5', '2.2.6', '2.3.2']),
  table('a flag of another type', mismatches, ['1.3.4', ...error]),
  table('a flag that is not there', missing, error),
  {
    requirements: ['1.4.14', '2.2.9', '2.2.10'],
    what: 'the metadata has the revision, the segments and the attachment',
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      const context = { targetingKey: 'alice', role: 'staff' }
      const { flagMetadata } = await details('color', 'green', context)
      const { revision } = flagMetadata
      t.type(revision, 'number')
      t.strictSame(flagMetadata, {
        flagSetId: 'shop',
        version: String(revision),
        revision,
        segments: 'staff',
        attachment: '{"hex":"#00f","dark":false,"parts":[0,0,255]}',
      })
      const plain = await details('on', false, context)
      t.strictSame(plain.flagMetadata, { flagSetId: 'shop', version: String(revision), revision })
    },
  },
  {
    requirements: ['1.4.10'],
    what: 'a context that has no text is the fallback, and INVALID_CONTEXT',
    only: 'server',
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      const role: Record<string, never> = {}
      Object.assign(role, { role })
      t.match(await details('staff-only', true, { role }), {
        value: true,
        reason: 'ERROR',
        errorCode: 'INVALID_CONTEXT',
        errorMessage: /context/,
      })
    },
  },
  {
    requirements: ['1.3.4', '2.2.7'],
    what: 'an attachment that is too large for a number is none',
    async test(t, kind, service) {
      await createLargeNumber(service)
      const { details } = await startApplication(t, kind, service)
      t.match(await details('too-large', 7), { value: 7, errorCode: 'TYPE_MISMATCH' })
      t.match(await details('too-large', ''), { value: 'large' })
    },
  },
  {
    requirements: ['2.2.3'],
    what: 'an application cannot change what others are served',
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      const context = { targetingKey: 'alice', role: 'staff' }
      const first = await details('color', {}, context)
      t.throws(() => Object.assign(first.value as object, { hex: '#f00' }), TypeError)
      t.match(await details('color', {}, context), { value: { hex: '#00f' } })
    },
  },
]

/** As JSON has it: in a document of YAML it would be none. */
async function createLargeNumber({ api }: Service): Promise<void> {
  const flags = '/api/v1/namespaces/shop/flags'
  const flag = { key: 'too-large', name: 'Too large', type: 'VARIANT_FLAG_TYPE', enabled: true }
  if ((await api('POST', flags, flag)).status === 409) return
  const variant = { key: 'large', name: 'Large', attachment: '1e999' }
  const { body } = await api('POST', `${flags}/too-large/variants`, variant)
  const defaultVariantId = (body as { readonly id: string }).id
  await api('PUT', `${flags}/too-large`, { ...flag, defaultVariantId })
}

function table(
  what: string,
  cases: readonly EvaluationCase[],
  requirements: readonly string[],
): Behaviour {
  return {
    requirements,
    what,
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      t.ok(cases.length > 3)
      for (const { what, flagKey, fallback, context, expected, inPages } of cases) {
        const wanted = { flagKey, ...expected, ...(kind.name === 'web' && inPages) }
        const given = await details(flagKey, fallback, context ?? {})
        t.strictSame(pick(given, wanted), wanted, what)
        const isError = expected.errorCode !== undefined
        t.equal(given.errorCode !== undefined, isError, `${what}: a code`)
        t.equal((given.errorMessage ?? '') !== '', isError, `${what}: a message`)
      }
    },
  }
}

function pick(details: EvaluationDetails<FlagValue>, like: object): object {
  const members = new Map<string, unknown>(Object.entries(details))
  return Object.fromEntries(Object.keys(like).map((name) => [name, members.get(name)]))
}
