import { OpenFeature } from '@openfeature/web-sdk'
import { waitFor } from '@svc/runtime/testing'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { type Behaviour, optionsOf, startApplication, turnFlag } from './behaviour.ts'
import type { Application, EventName, EventRecord } from './kinds.ts'

const staff = { targetingKey: 'alice', role: 'staff' }
const guest = { targetingKey: 'bob', role: 'guest' }

/** The context of pages: it is set, and flags are evaluated for it. */
export const contexts: readonly Behaviour[] = [
  {
    requirements: ['2.4.1'],
    what: 'it begins with the context that is there',
    only: 'web',
    async test(t, kind, service) {
      const application = kind.open(t, optionsOf(service))
      await application.setContext(staff)
      await application.start()
      t.match(await application.details('staff-only', false), { value: true })
    },
  },
  {
    requirements: ['2.4.1', '2.6.1'],
    what: 'a context that is set while it begins is the one that counts',
    only: 'web',
    async test(t, kind, service) {
      const application = kind.open(t, optionsOf(service))
      await application.setContext(guest)
      const started = application.start()
      await application.setContext(staff)
      t.match(await application.details('staff-only', false), { value: true })
      await started
      t.equal(application.status(), 'READY')
      t.match(await application.details('staff-only', false), { value: true })
    },
  },
  {
    requirements: ['2.6.1', '5.3.4.1', '5.3.4.2'],
    what: 'a new context is RECONCILING, then CONTEXT_CHANGED, and the flags are for it',
    only: 'web',
    async test(t, kind, service) {
      const application = await startApplication(t, kind, service)
      const events = record(application, [
        ...(['Reconciling', 'ContextChanged', 'ConfigurationChanged', 'Error'] as const),
      ])
      const changed = application.setContext(staff)
      t.equal(application.status(), 'RECONCILING')
      t.match(await application.details('staff-only', true), { value: false }, 'as before')
      await changed
      t.equal(application.status(), 'READY')
      t.match(await application.details('staff-only', false), { value: true })
      t.match(events, [['Reconciling'], ['ContextChanged']])
      t.equal(events.length, 2)
    },
  },
  {
    requirements: ['2.6.1', '5.3.4.2'],
    what: 'of several contexts at once the last one counts',
    only: 'web',
    async test(t, kind, service) {
      const application = await startApplication(t, kind, service)
      const events = record(application, ['ContextChanged', 'Error'])
      const contexts = Array.from({ length: 9 }, (_, i) => (i % 2 === 0 ? staff : guest))
      await Promise.all(contexts.map((context) => application.setContext(context)))
      t.match(await application.details('staff-only', false), { value: true })
      t.equal(application.status(), 'READY')
      t.match(events, [['ContextChanged']])
    },
  },
  {
    requirements: ['2.6.1', '5.3.4.2'],
    what: 'the context before is the one that counts when it is set again meanwhile',
    only: 'web',
    async test(t, kind, service) {
      const application = await startApplication(t, kind, service)
      await application.setContext(staff)
      await Promise.all([application.setContext(guest), application.setContext(staff)])
      t.equal(application.status(), 'READY')
      t.match(await application.details('staff-only', false), { value: true })
    },
  },
  {
    requirements: ['3.2.4.1', '3.2.4.2'],
    what: 'the context of the API is for all that have none of their own',
    only: 'web',
    async test(t, kind, service) {
      const one = await startApplication(t, kind, service)
      const other = await startApplication(t, kind, service)
      t.teardown(() => OpenFeature.setContext({}))
      await other.setContext(guest)
      await OpenFeature.setContext(staff)
      t.match(await one.details('staff-only', false), { value: true })
      t.match(await other.details('staff-only', true), { value: false })
    },
  },
  {
    requirements: ['5.3.4.3', '5.1.4'],
    what: 'a context that the service does not take is an ERROR, until it is back',
    only: 'web',
    async test(t, kind, service) {
      const proxy = await startFaultProxy(t, Number(new URL(service.url).port))
      const url = `http://${proxy.address}`
      const application = await startApplication(t, kind, service, { url, readyTimeoutMs: 500 })
      const events = record(application, ['Error', 'Ready'])
      await waitFor(() => events.length === 1)
      proxy.set('cut')
      await application.setContext(staff)
      t.equal(application.status(), 'ERROR')
      t.match(events.slice(1), [['Error', { message: /./ }]])
      proxy.set('none')
      await waitFor(() => application.status() === 'READY')
      t.match(await application.details('staff-only', false), { value: true })
    },
  },
  {
    requirements: ['2.5.2', '3.2.4.1'],
    what: 'a context that is set after a shutdown opens nothing',
    only: 'web',
    async test(t, kind, service) {
      const application = await startApplication(t, kind, service)
      await application.provider.onClose()
      await application.setContext(staff)
      const closed = { value: false, errorCode: 'PROVIDER_NOT_READY' }
      t.match(await application.details('staff-only', false), closed)
    },
  },
  {
    requirements: ['2.6.1', '1.7.4'],
    what: 'after a context that cannot be read, another one is taken',
    only: 'web',
    async test(t, kind, service) {
      const role: Record<string, never> = {}
      Object.assign(role, { role })
      const application = kind.open(t, optionsOf(service))
      await application.setContext({ role })
      await t.rejects(application.start(), { code: 'GENERAL' })
      await application.setContext(staff)
      t.equal(application.status(), 'READY')
      t.match(await application.details('staff-only', false), { value: true })
      await application.setContext({ role })
      t.equal(application.status(), 'ERROR')
      await application.setContext(guest)
      t.equal(application.status(), 'READY')
      t.match(await application.details('staff-only', true), { value: false })
    },
  },
  {
    requirements: ['2.6.1'],
    what: 'a change of the flags is taken over for the context that is set',
    only: 'web',
    async test(t, kind, service) {
      const application = await startApplication(t, kind, service)
      await application.setContext(staff)
      const events = record(application, ['ConfigurationChanged'])
      const value = await turnFlag(service)
      await waitFor(() => events.length > 0)
      t.match(await application.details('changing', !value), { value })
      t.match(await application.details('staff-only', false), { value: true })
    },
  },
]

function record(application: Application, names: readonly EventName[]) {
  const events: (readonly [EventName, EventRecord])[] = []
  for (const name of names) {
    application.on(name, (event = {}) => events.push([name, event]))
  }
  return events
}
