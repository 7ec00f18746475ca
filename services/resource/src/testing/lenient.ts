import type { Caller } from '@svc/access'
import type { CallContext, ServiceDefinition } from '@svc/rpc'
import { anonymous } from '../authorize-call.ts'

type Partially<T> = T extends readonly (infer Element)[]
  ? readonly Partially<Element>[]
  : T extends object
    ? { readonly [K in keyof T]?: Partially<T[K]> | undefined }
    : T

// biome-ignore lint/suspicious/noExplicitAny: stands for the request and the answer of any method
type Handler = (request: any, context: CallContext<Caller>) => Promise<any>

/** The same handlers, taking requests of which a test names only what matters to it. */
export type Lenient<H extends Readonly<Record<string, Handler>>> = {
  readonly [K in keyof H]: (
    request: Partially<Parameters<H[K]>[0]>,
    context?: Pick<CallContext<Caller>, 'caller' | 'setTrailer' | 'get'>,
  ) => ReturnType<H[K]>
}

/** Context of a call whose caller reads no trailers. */
export const noContext = {
  caller: anonymous,
  setTrailer() {},
  get: () => undefined,
} as unknown as CallContext<Caller>

/** The part of ts-proto's code for a message that only tests use. */
interface PartialMessage {
  fromPartial(partial: object): unknown
}

export function lenient<H extends Readonly<Record<string, Handler>>>(
  definitions: readonly ServiceDefinition[],
  handlers: H,
): Lenient<H> {
  const methods = Object.assign({}, ...definitions.map(({ methods }) => methods))
  const entries = Object.entries(handlers).map(([name, handler]) => {
    const requestType: PartialMessage = methods[name].requestType
    return [
      name,
      (request: object, context: CallContext<Caller> = noContext) =>
        handler(requestType.fromPartial(request), context),
    ]
  })
  return Object.fromEntries(entries) as Lenient<H>
}
