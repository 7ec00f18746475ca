import { type Message, toBinary } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import {
  decodeRequest,
  encodeResponse,
  findLongList,
  type Operation,
  resolveNamespaces,
} from '@svc/contract'
import type { AnswererFor } from '../../operations/answerer.ts'
import type { Replica } from '../../replica/replica.ts'
import { readBody } from './body.ts'
import type { CallService } from './call.ts'

/**
 * Maximum wait until the replica has a write, in milliseconds. Usually it takes a few. The write is
 * committed in any case, so a longer wait would only delay its answer.
 */
const maxWaitMs = 500

export interface RemoteParts {
  readonly replica: Replica
  readonly services: CallService
}

/** Answers by a call to the service that has the operation. */
export function remoteAnswerer({ replica, services }: RemoteParts): AnswererFor {
  return (bound) => {
    const { operation, binding } = bound
    const { path, input, output, access, route } = operation
    if (operation.isStream) throw new Error(`${path} is a stream, which has to be served here`)
    const isCacheable = binding.verb === 'GET' && route.area === 'MANAGEMENT'
    return {
      limit: { refuses: (params) => services.limitOf(operation, { params }).refuses() },
      prepare(exchange) {
        const { request } = exchange
        const body = binding.hasBody ? readBody(operation, request) : {}
        const list = findLongList(operation, body)
        const message = decodeRequest(bound, request, list?.rest ?? body)
        return {
          namespaceKeys: resolveNamespaces(access, message),
          ...(binding.hasBody && route.body === 'JSON' && { body }),
          flagKeys: () => flagKeysOf(operation, message),
          async answer(caller) {
            const head = toBinary(input, message)
            const slices: Uint8Array[] = []
            for (const slice of list?.encode() ?? []) {
              slices.push(slice)
              if (replica.scheduler.shouldYield) await replica.scheduler.yield()
            }
            const bytes = slices.length === 0 ? head : Buffer.concat([head, ...slices])
            const answer = await services.call(operation, bytes, exchange, caller)
            const revision = answer.trailer('svc-revision')
            if (revision !== undefined) await waitUntilVisible(replica, revision)
            if (isCacheable) exchange.setHeader('cache-control', 'private, no-cache')
            return encodeResponse(output, answer.bytes, exchange.isPretty)
          },
        }
      },
    }
  }
}

/** Waits until this gateway shows a write that went through it, so that its next answer does. */
export async function waitUntilVisible(replica: Replica, svcRevision: string): Promise<void> {
  const colon = svcRevision.lastIndexOf(':')
  const revision = Number(svcRevision.slice(colon + 1))
  if (replica.isCurrent) await replica.waitFor(svcRevision.slice(0, colon), revision, maxWaitMs)
}

/** The key of the flag that a request is about, by the names that the protos have for it. */
function flagKeysOf({ access, input }: Operation, message: Message): readonly string[] {
  const name = access.resource === 'FLAG' ? 'key' : 'flagKey'
  const field = input.fields.find(({ jsonName }) => jsonName === name)
  return field === undefined ? [] : [String(reflect(input, message).get(field))]
}
