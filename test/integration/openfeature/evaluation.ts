import type { EvaluationDetails, FlagValue } from '@openfeature/core'
import type { Behaviour } from './behaviour.ts'
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
