import { encodeResponse } from '@svc/contract'
import { chain, type MaybePromise } from '@svc/runtime'
import type { Received } from '../../http/exchange.ts'
import type { AnswererFor } from '../../operations/answerer.ts'
import type { Replica } from '../../replica/replica.ts'
import { readBody } from './body.ts'
import type { CallService } from './call.ts'
import type { MessageThread } from './message-thread.ts'
import { type EncodedRequest, encodeRequest } from './messages.ts'

/** Sizes from which it takes some milliseconds to read a request, and to write an answer, in bytes. */
const longBodyBytes = 32 * 1024
const longAnswerBytes = 64 * 1024

/**
 * Maximum wait until the replica has a write, in milliseconds. Usually it takes a few. The write is
 * committed in any case, so a longer wait would only delay its answer.
 */
const maxWaitMs = 500

export interface RemoteParts {
  readonly replica: Replica
  readonly services: CallService
  /** Where long messages are read and written. */
  readonly messages: MessageThread
}

/** Answers by a call to the service that has the operation. */
export function remoteAnswerer({ replica, services, messages }: RemoteParts): AnswererFor {
  return (bound) => {
    const { operation, binding } = bound
    const { path, output, route } = operation
    if (operation.isStream) throw new Error(`${path} is a stream, which has to be served here`)
    const isCacheable = binding.verb === 'GET' && route.area === 'MANAGEMENT'
    const takesJson = binding.hasBody && route.body === 'JSON'

    const encode = (request: Received): MaybePromise<EncodedRequest> => {
      const { body } = request
      if (takesJson && body !== undefined && body.length >= longBodyBytes) {
        return messages.encodeRequest(bound, request, body)
      }
      return encodeRequest(bound, request, binding.hasBody ? readBody(operation, request) : {})
    }

    return {
      limit: (params) => services.limitOf(operation, { params }),
      prepare: (exchange) =>
        chain(encode(exchange.request), ({ bytes, namespaceKeys, flagKeys, ignored }) => ({
          namespaceKeys,
          ignored: () => ignored,
          flagKeys: () => flagKeys,
          async answer(caller) {
            const answer = await services.call(operation, bytes, exchange, caller)
            const revision = answer.trailer('svc-revision')
            if (revision !== undefined) await waitUntilVisible(replica, revision)
            if (isCacheable) exchange.setHeader('cache-control', 'private, no-cache')
            return answer.bytes.length < longAnswerBytes
              ? encodeResponse(output, answer.bytes, exchange.isPretty)
              : messages.encodeAnswer(operation, answer.bytes, exchange.isPretty)
          },
        })),
    }
  }
}

/** Waits until this gateway shows a write that went through it, so that its next answer does. */
export async function waitUntilVisible(replica: Replica, svcRevision: string): Promise<void> {
  const colon = svcRevision.lastIndexOf(':')
  const revision = Number(svcRevision.slice(colon + 1))
  if (replica.isCurrent) await replica.waitFor(svcRevision.slice(0, colon), revision, maxWaitMs)
}
