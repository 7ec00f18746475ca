import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { startRelay } from '../../support/relay.ts'
import {
  type Behaviour,
  deadUrl,
  optionsOf,
  type Service,
  startApplication,
  turnFlag,
} from './behaviour.ts'
import type { EventRecord } from './kinds.ts'

const isOn = { value: true, reason: 'DEFAULT' }
const isNotReady = { value: false, reason: 'ERROR', errorCode: 'PROVIDER_NOT_READY' }

export const lifecycle: readonly Behaviour[] = [
  {
    requirements: ['2.1.1', '1.1.5'],
    what: 'it has a name',
    async test(t, kind, service) {
      const { domain, provider } = await startApplication(t, kind, service)
      t.equal(provider.metadata.name, kind.providerName)
      t.equal(kind.providerNameOf(domain), kind.providerName)
    },
  },
  {
    requirements: ['1.1.2.4', '1.7.3', '5.3.1', '5.3.3'],
    what: 'it is ready when its flags are here, and says so, also to handlers that come late',
    async test(t, kind, service) {
      const application = kind.open(t, optionsOf(service))
      const events: string[] = []
      application.on('Ready', ({ providerName = '' } = {}) => events.push(providerName))
      await application.start()
      t.equal(application.status(), 'READY')
      t.strictSame(events, [kind.providerName])
      application.on('Ready', () => events.push('late'))
      await waitFor(() => events.length === 2)
      t.strictSame(events, [kind.providerName, 'late'])
    },
  },
  {
    requirements: ['1.1.2.2', '1.7.6'],
    what: 'before that the fallback is served, with PROVIDER_NOT_READY',
    async test(t, kind, service) {
      const application = kind.open(t, optionsOf(service))
      const started = application.start()
      const errors: unknown[] = []
      const error = (_: object, error: unknown) => errors.push(error)
      const early = application.details('on', false, undefined, [{ error }])
      t.equal(application.status(), 'NOT_READY')
      t.match(await early, isNotReady)
      t.match(errors, [{ code: 'PROVIDER_NOT_READY' }])
      await started
      t.match(await application.details('on', false), isOn)
    },
  },
  {
    requirements: ['1.7.4', '1.7.8', '2.4.2.1', '5.1.4', '5.3.2', '1.4.10'],
    what: 'without a server it says so in time, and the fallback is served',
    async test(t, kind, service) {
      const application = kind.open(t, optionsOf(service, { url: deadUrl, readyTimeoutMs: 300 }))
      const events: EventRecord[] = []
      application.on('Error', (event = {}) => events.push(event))
      await t.rejects(application.start(), { code: 'GENERAL', message: /./ })
      t.equal(application.status(), 'ERROR')
      t.match(events, [{ providerName: kind.providerName, message: /./ }])
      t.match(await application.details('on', false), { ...isNotReady, errorMessage: /./ })
    },
  },
  {
    requirements: ['5.1.1', '5.3.5'],
    what: 'it goes on trying, and becomes ready by itself',
    async test(t, kind, service) {
      const proxy = await startFaultProxy(t, Number(new URL(service.url).port))
      proxy.set('drop')
      const options = { url: `http://${proxy.address}`, readyTimeoutMs: 300 }
      const application = kind.open(t, optionsOf(service, options))
      await t.rejects(application.start(), { code: 'GENERAL' })
      t.equal(application.status(), 'ERROR')
      proxy.set('none')
      await waitFor(() => application.status() === 'READY')
      t.match(await application.details('on', false), isOn)
    },
  },
  {
    requirements: ['5.1.1', '5.3.5', '2.2.5'],
    what: 'with flags of the file it is STALE at once, and READY when the service is there',
    only: 'server',
    async test(t, kind, service) {
      const lastKnownGood = join(t.testdir({}), 'flags.json')
      const proxy = await startFaultProxy(t, Number(new URL(service.url).port))
      const options = { url: `http://${proxy.address}`, lastKnownGood }
      const before = await startApplication(t, kind, service, options)
      await before.provider.onClose()
      proxy.set('drop')
      const application = kind.open(t, optionsOf(service, options))
      const events: string[] = []
      application.on('Stale', ({ message = '' } = {}) => events.push(message))
      await application.start()
      await waitFor(() => application.status() === 'STALE')
      t.match(events, [/not confirmed/])
      t.match(await application.details('on', false), { value: true, reason: 'STALE' })
      proxy.set('none')
      await waitFor(() => application.status() === 'READY')
      t.match(await application.details('on', false), isOn)
      await application.provider.onClose()
    },
  },
  {
    requirements: ['1.7.5', '1.7.7', '1.7.8', '2.4.2.1', '5.3.2'],
    what: 'a credential that may not have the flags is FATAL',
    async test(t, kind, service) {
      const credential = { token: service.otherToken }
      const application = kind.open(t, optionsOf(service, { credential }))
      const events: EventRecord[] = []
      application.on('Error', (event = {}) => events.push(event))
      await t.rejects(application.start(), { code: 'PROVIDER_FATAL', message: /./ })
      t.equal(application.status(), 'FATAL')
      t.match(events, [{ message: /./ }])
      const fatal = { value: false, reason: 'ERROR', errorCode: 'PROVIDER_FATAL' }
      t.match(await application.details('on', false), fatal)
    },
  },
  {
    requirements: ['1.7.4'],
    what: 'a credential that is unknown is an ERROR: it may come to be known',
    async test(t, kind, service) {
      const credential = { token: `${service.token}x` }
      const application = kind.open(t, optionsOf(service, { credential, readyTimeoutMs: 1000 }))
      await t.rejects(application.start(), { code: 'GENERAL', message: /./ })
      t.equal(application.status(), 'ERROR')
      t.match(await application.details('on', false), isNotReady)
    },
  },
  {
    requirements: ['1.1.2.3', '2.5.1'],
    what: 'it is shut down when another takes its place: its connections end, and no event comes',
    async test(t, kind, service) {
      const sockets: Socket[] = []
      const target = { host: '127.0.0.1', port: Number(new URL(service.url).port) }
      const port = await startRelay(t, target, (far, near) => {
        sockets.push(near)
        return far
      })
      const url = `http://127.0.0.1:${port}`
      const application = await startApplication(t, kind, service, { url })
      const control = await startApplication(t, kind, service)
      const events: string[] = []
      application.provider.events.addHandler('PROVIDER_CONFIGURATION_CHANGED' as never, () => {
        events.push('changed')
      })
      const ofControl: unknown[] = []
      control.on('ConfigurationChanged', (event) => ofControl.push(event))
      await turnFlag(service)
      await waitFor(() => events.length === 1 && ofControl.length === 1)
      await application.replace()
      t.match(await askProvider(application.provider), isNotReady)
      const before = bytesOf(sockets)
      await turnFlag(service)
      await waitFor(() => ofControl.length === 2)
      // As long as the other may wait before it asks.
      await sleep(1100)
      t.equal(bytesOf(sockets), before, 'nothing was asked and nothing came')
      t.strictSame(events, ['changed'])
    },
  },
  {
    requirements: ['2.5.2'],
    what: 'after a shutdown it is as before, and may be initialized again',
    async test(t, kind, service) {
      const { provider } = kind.open(t, optionsOf(service))
      t.match(await askProvider(provider), isNotReady)
      for (let round = 0; round < 2; round++) {
        await provider.initialize()
        t.match(await askProvider(provider), isOn)
        await provider.onClose()
        t.match(await askProvider(provider), isNotReady)
        // Also when it is closed already.
        await provider.onClose()
      }
    },
  },
  {
    requirements: ['2.5.1'],
    what: 'a shutdown during the initialization ends both, also with a server that hangs',
    async test(t, kind, service) {
      const proxy = await startFaultProxy(t, Number(new URL(service.url).port))
      proxy.set('freeze')
      const options = { url: `http://${proxy.address}`, readyTimeoutMs: 500 }
      const { provider } = kind.open(t, optionsOf(service, options))
      const initialized = provider.initialize()
      await provider.onClose()
      await t.rejects(initialized, { code: 'GENERAL' })
      proxy.set('none')
      t.match(await askProvider(provider), isNotReady)
    },
  },
  {
    requirements: ['1.1.3', '5.1.2', '5.1.3', '5.2.3', '5.1.1'],
    what: 'a change is said to those that it concerns, and is there when they ask',
    async test(t, kind, service) {
      const application = await startApplication(t, kind, service)
      const other = kind.open(t, {
        ...optionsOf(service, { credential: { token: service.otherToken } }),
        namespace: 'default',
      })
      await other.start()
      const events: EventRecord[] = []
      const ofApi: EventRecord[] = []
      const ofOther: EventRecord[] = []
      application.on('ConfigurationChanged', (event = {}) => events.push(event))
      other.on('ConfigurationChanged', (event = {}) => ofOther.push(event))
      kind.onApi('ConfigurationChanged', (event = {}) => ofApi.push(event))
      const value = await turnFlag(service)
      await waitFor(() => events.length > 0)
      t.match(await application.details('changing', !value), { value })
      const event = { providerName: kind.providerName, flagsChanged: ['changing'] }
      t.match(events, [event])
      t.match(ofApi, [event])
      t.strictSame(ofOther, [])
      t.match(await other.details('changing', true), { value: true, errorCode: 'FLAG_NOT_FOUND' })
    },
  },
  {
    requirements: ['5.1.1', '5.1.4', '5.1.5', '5.3.5'],
    what: 'a token that was deleted is an ERROR, and the flags stay',
    async test(t, kind, service) {
      const { token, deleteToken } = await createToken(service)
      const credential = { token }
      const application = await startApplication(t, kind, service, { credential })
      const events: EventRecord[] = []
      application.on('Error', (event = {}) => events.push(event))
      await deleteToken()
      await waitFor(() => events.length > 0)
      t.equal(application.status(), 'ERROR')
      t.match(events[0], { message: /./, errorCode: 'GENERAL', providerName: kind.providerName })
      t.match(await application.details('on', false), isOn)
    },
  },
  {
    requirements: ['5.1.1', '5.3.5'],
    what: 'a token that is replaced in its file is READY again, long before it would be STALE',
    only: 'server',
    async test(t, kind, service) {
      const [first, second] = await Promise.all([createToken(service), createToken(service)])
      const tokenFile = join(t.testdir({ token: first.token }), 'token')
      const application = await startApplication(t, kind, service, { tokenFile })
      const events: string[] = []
      for (const name of ['Error', 'Stale', 'Ready'] as const) {
        application.on(name, () => events.push(name))
      }
      await waitFor(() => events.length === 1)
      await first.deleteToken()
      await waitFor(() => application.status() === 'ERROR')
      writeFileSync(tokenFile, second.token)
      await waitFor(() => application.status() === 'READY')
      t.strictSame(events, ['Ready', 'Error', 'Ready'])
    },
  },
]

async function createToken({ api }: Service) {
  const { body } = await api('POST', '/auth/v1/method/token', {
    ...{ name: `openfeature ${randomUUID()}`, namespaceKey: 'shop' },
  })
  const { clientToken, authentication } = body as {
    readonly clientToken: string
    readonly authentication: { readonly id: string }
  }
  const deleteToken = async () => {
    await api('DELETE', `/auth/v1/tokens/${authentication.id}`)
  }
  return { token: clientToken, deleteToken }
}

/** The last of them: the API of an SDK is closed once. */
export const closing: Behaviour = {
  requirements: ['1.6.1', '2.5.1'],
  what: 'closing the API shuts it down',
  async test(t, kind, service) {
    const { provider } = await startApplication(t, kind, service)
    t.match(await askProvider(provider), isOn)
    await kind.closeApi()
    t.match(await askProvider(provider), isNotReady)
  },
}

function bytesOf(sockets: readonly Socket[]): number {
  return sockets.reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0)
}

async function askProvider(provider: { resolveBooleanEvaluation: unknown }): Promise<unknown> {
  const { resolveBooleanEvaluation } = provider as {
    readonly resolveBooleanEvaluation: (...question: unknown[]) => unknown
  }
  return resolveBooleanEvaluation.call(provider, 'on', false, {}, console)
}
