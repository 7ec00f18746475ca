import type { Test as TapTest } from 'tap'
import type { Request } from '../../support/http.ts'
import type { Application, Kind, ProviderOptions } from './kinds.ts'

/** A running service with the flags of `test/fixtures/openfeature.yml` in the namespace `shop`. */
export interface Service {
  readonly url: string
  readonly api: Request
  /** Bound to the namespace `shop`. */
  readonly token: string
  /** Bound to another namespace: with it, `shop` is 403. */
  readonly otherToken: string
}

/** What a provider does, with the requirements of the specification that ask for it. */
export interface Behaviour {
  /** `test/fixtures/openfeature-requirements.yml` has them. */
  readonly requirements: readonly string[]
  readonly what: string
  /** Where only one of them does. */
  readonly only?: Kind['name']
  readonly test: (t: TapTest, kind: Kind, service: Service) => Promise<void>
}

export function optionsOf({ url, token }: Service, more: Partial<ProviderOptions> = {}) {
  return { url, namespace: 'shop', credential: { token }, ...more }
}

/** An application whose provider is ready. */
export async function startApplication(
  t: TapTest,
  kind: Kind,
  service: Service,
  more: Partial<ProviderOptions> = {},
): Promise<Application> {
  const application = kind.open(t, optionsOf(service, more))
  await application.start()
  return application
}

/** Where no server listens; `fetch` refuses some ports. */
export const deadUrl = 'http://127.0.0.1:2'

let isOn = false

/** Turns the flag `changing`, which no other case asks for. @returns whether it is on now */
export async function turnFlag({ api }: Service): Promise<boolean> {
  isOn = !isOn
  const flag = { name: 'Changing', enabled: isOn }
  const { status, text } = await api('PUT', '/api/v1/namespaces/shop/flags/changing', flag)
  if (status !== 200) throw new Error(text)
  return isOn
}
