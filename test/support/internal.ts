import { randomBytes } from 'node:crypto'
import { assertCaller, assertionKey } from '@svc/access'
import { type CallOptions, RpcChannel } from '@svc/rpc'
import { Secret } from '@svc/runtime'
import type { Test } from './listen.ts'
import type { Service } from './service-process.ts'

const newSecret = () => randomBytes(32).toString('hex')

/** What the services of a test know each other by. */
export const secrets = { shared: newSecret(), ofAssertions: newSecret(), ofChanges: newSecret() }

const shared = { SVC_INTERNAL_SECRET: secrets.shared }
const ofVouchers = {
  ...shared,
  SVC_INTERNAL_ASSERTION_KEY: secrets.ofAssertions,
  SVC_CHANGES_KEY: secrets.ofChanges,
}

/** The same, as environment variables. */
export function internalEnv(service: Service): Readonly<Record<string, string>> {
  return service === 'gateway' ? shared : ofVouchers
}

/** Reaches the resource service as gateways do. */
export function openResourceChannel(t: Test, address: string): RpcChannel {
  return openChannel(t, address, 'the resource service')
}

/** Reaches the auth service as gateways do. */
export function openAuthChannel(t: Test, address: string): RpcChannel {
  return openChannel(t, address, 'the auth service')
}

function openChannel(t: Test, address: string, name: string): RpcChannel {
  const protection = { secrets: [new Secret(secrets.shared)] }
  const channel = new RpcChannel(address, { name, protection })
  t.teardown(async () => channel.close())
  return channel
}

/** With this, a call is made for a caller that may do everything; for a few seconds. */
export function vouched(): CallOptions {
  const caller = {
    tokenId: 'test',
    principal: 'test',
    method: 'METHOD_TOKEN',
    name: 'test',
    namespaceKey: null,
  }
  return { metadata: { [assertionKey]: assertCaller(caller, secrets.ofAssertions, Date.now()) } }
}
