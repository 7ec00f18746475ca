import { createEvaluationEvent, OpenFeature } from '@openfeature/server-sdk'
import { type Behaviour, startApplication } from './behaviour.ts'
import type { Hook } from './kinds.ts'

const staff = { targetingKey: 'alice', role: 'staff' }

export const hooks: readonly Behaviour[] = [
  beforeHooks('server', '4.3.2.1'),
  beforeHooks('web', '4.3.3.1'),
  {
    requirements: ['4.3.6', '4.3.8'],
    what: 'after and finally hooks get the details of what was served',
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      const { stages, hook } = recorder()
      const given = await details('color', 'green', staff, [hook])
      t.strictSame(stages, [
        ['before', 'color'],
        ['after', given],
        ['finally', given],
      ])
    },
  },
  {
    requirements: ['4.3.7', '4.3.8'],
    what: 'error hooks get what is wrong, and no after hook runs',
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      for (const [flagKey, code] of [
        ['gone', 'FLAG_NOT_FOUND'],
        ['color', 'TYPE_MISMATCH'],
      ] as const) {
        const { stages, hook } = recorder()
        const given = await details(flagKey, true, staff, [hook])
        t.match(stages, [
          ['before', flagKey],
          ['error', { code, message: new RegExp(flagKey) }],
          ['finally', given],
        ])
        t.equal(stages.length, 3)
      }
    },
  },
  {
    requirements: ['4.3.5'],
    what: 'what before hooks return is part of the context',
    only: 'server',
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      const hook = { before: () => ({ role: 'staff' }) }
      t.match(await details('staff-only', false, { targetingKey: 'bob' }, [hook]), { value: true })
    },
  },
  {
    requirements: ['1.4.14', '2.2.9', '4.3.8'],
    what: 'the SDK makes the attributes of OpenTelemetry of it',
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      const events: object[] = []
      const hook: Hook = {
        finally: (context, details) => events.push(createEvaluationEvent(context, details)),
      }
      const given = await details('color', 'green', staff, [hook])
      await details('gone', 'green', staff, [hook])
      const common = {
        'feature_flag.provider.name': kind.providerName,
        'feature_flag.context.id': 'alice',
      }
      t.match(events, [
        {
          name: 'feature_flag.evaluation',
          attributes: {
            ...common,
            'feature_flag.key': 'color',
            'feature_flag.result.value': 'blue',
            'feature_flag.result.variant': 'blue',
            'feature_flag.result.reason': 'targeting_match',
            'feature_flag.set.id': 'shop',
            'feature_flag.version': String(given.flagMetadata.revision),
          },
        },
        {
          attributes: {
            ...common,
            'feature_flag.key': 'gone',
            'feature_flag.result.reason': 'error',
            'error.type': 'flag_not_found',
          },
        },
      ])
    },
  },
  {
    requirements: ['3.2.1.1', '3.2.3'],
    what: 'contexts of the API, the client and the call are merged, the last one on top',
    only: 'server',
    async test(t, kind, service) {
      const application = await startApplication(t, kind, service)
      t.teardown(() => void OpenFeature.setContext({}))
      const served = async (context: Record<string, string> = {}) =>
        (await application.details('staff-only', false, context)).value
      t.equal(await served(), false)
      OpenFeature.setContext({ targetingKey: 'alice', role: 'staff' })
      t.equal(await served(), true)
      await application.setContext({ role: 'guest' })
      t.equal(await served(), false)
      t.equal(await served({ role: 'staff' }), true)
    },
  },
]

function beforeHooks(only: 'server' | 'web', requirement: string): Behaviour {
  return {
    requirements: [requirement],
    what: 'before hooks run before the flag is resolved, and one that throws is the fallback',
    only,
    async test(t, kind, service) {
      const { details } = await startApplication(t, kind, service)
      const { stages, hook } = recorder()
      const before = () => {
        throw new Error('no')
      }
      const given = await details('on', false, staff, [hook, { before }])
      t.match(given, { value: false, reason: 'ERROR', errorCode: 'GENERAL', errorMessage: 'no' })
      t.match(stages, [['before', 'on'], ['error', { message: 'no' }], ['finally']])
      t.equal(stages.length, 3)
    },
  }
}

/** A hook that notes its stages, each with what it was given. */
function recorder() {
  const stages: unknown[][] = []
  const hook: Hook = {
    before: ({ flagKey }) => void stages.push(['before', flagKey]),
    after: (_, details) => void stages.push(['after', details]),
    error: (_, error) => void stages.push(['error', error]),
    finally: (_, details) => void stages.push(['finally', details]),
  }
  return { stages, hook }
}
