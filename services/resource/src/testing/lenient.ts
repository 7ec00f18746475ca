import type { Caller } from '@svc/access'
import type { CallContext } from '@svc/rpc'
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
    context?: Pick<CallContext<Caller>, 'caller' | 'setTrailer'>,
  ) => ReturnType<H[K]>
}

/** Context of a call whose caller reads no trailers. */
export const noContext = { caller: anonymous, setTrailer() {} } as unknown as CallContext<Caller>

interface Definition {
  readonly methods: Readonly<
    Record<string, { readonly requestType: { fromPartial(partial: object): unknown } }>
  >
}

export function lenient<H extends Readonly<Record<string, Handler>>>(
  definition: Definition,
  handlers: H,
): Lenient<H> {
  const methods = Object.entries(handlers).map(([name, handler]) => [
    name,
    (request: object, context: CallContext<Caller> = noContext) =>
      handler(definition.methods[name]?.requestType.fromPartial(request), context),
  ])
  return Object.fromEntries(methods) as Lenient<H>
}
