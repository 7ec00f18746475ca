import {
  type BoundOperation,
  findIgnored,
  readQuery,
  resolveNamespaceKey,
  withPath,
} from '@svc/contract'
import { OfrepServiceDefinition } from '@svc/proto/ofrep/v1/ofrep'
import { chain, unavailable } from '@svc/runtime'
import { readJson } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { indentIf } from '../../http/json-text.ts'
import { type Answerer, type Answerers, answerersOf } from '../../operations/answerer.ts'
import { setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams } from '../../streams/caller-streams.ts'
import { flagErrorBody, ofrepErrorBody } from './errors.ts'
import { type PreparedEvaluation, prepareFlag, prepareFlags } from './evaluations.ts'
import { NamespaceEvents, waitForEtag } from './events.ts'
import { readNamespace, valueHeader } from './request.ts'

/**
 * How often a provider may ask whether something has changed, in milliseconds. 5,000 of them are then
 * 500 requests a second, a few percent of a core, since an unchanged answer costs no evaluation. Event
 * streams are faster.
 */
const minPollingIntervalMs = 10_000

const configuration = JSON.stringify({
  name: 'svc',
  capabilities: {
    cacheInvalidation: { polling: { enabled: true, minPollingIntervalMs } },
    flagEvaluation: { supportedTypes: ['string', 'boolean'] },
  },
})

export interface OfrepParts {
  readonly replica: Replica
  readonly streams: CallerStreams
}

/** OFREP, which the gateway answers from its copy of the flags. */
export function ofrepAnswerers({ replica, streams }: OfrepParts): Answerers {
  const events = new NamespaceEvents(replica, streams)
  const { scheduler } = replica
  return answerersOf(OfrepServiceDefinition, {
    evaluateFlag: ({ operation }) => ({
      errorBody: flagErrorBody,
      prepare: (exchange) => {
        const { raw, params } = exchange.request
        const { key = '' } = params
        const body = readJson(exchange.request)
        const evaluation = prepareFlag(raw.headers, body, key)
        return {
          ...prepared(exchange, evaluation, replica),
          ignored: () => findIgnored(operation.input, body),
          flagKeys: () => [key],
        }
      },
    }),
    evaluateFlags: ({ operation }) => ({
      errorBody: ofrepErrorBody,
      prepare: (exchange) => {
        const body = readJson(exchange.request)
        const { raw, query } = exchange.request
        // Providers take no part in it: their protocol leaves these flags out.
        const withDisabled = query.disabled === 'true'
        const evaluation = prepareFlags(raw.headers, body, { scheduler, withDisabled })
        const ignored = () => findIgnored(operation.input, body)
        return { ...prepared(exchange, evaluation, replica), ignored }
      },
    }),
    getConfiguration: () => ({
      errorBody: ofrepErrorBody,
      prepare: ({ request, isPretty }) => ({
        namespaceKeys: [readNamespace(request.raw.headers)],
        answer: () => indentIf(isPretty, configuration),
      }),
    }),
    watchNamespace: (bound) => eventsAnswerer(bound, replica, events),
  })
}

function prepared(
  exchange: Exchange,
  { namespaceKey, evaluate }: PreparedEvaluation,
  replica: Replica,
): ReturnType<Answerer['prepare']> {
  const { flagConfigEtag } = exchange.request.query
  return {
    namespaceKeys: [namespaceKey],
    answer: (caller) =>
      chain(waitForEtag(replica, namespaceKey, flagConfigEtag), () => {
        setDataAge(exchange, replica)
        exchange.setHeader('vary', valueHeader)
        return chain(evaluate(replica, caller), ({ text, etag, revision }) => {
          if (etag !== undefined) exchange.setHeader('etag', `"${etag}"`)
          if (revision !== undefined) {
            exchange.setHeader('x-svc-revision', `${namespaceKey}:${revision}`)
          }
          if (text !== undefined) return indentIf(exchange.isPretty, text)
          exchange.status = 304
          return undefined
        })
      }),
  }
}

function eventsAnswerer(
  bound: BoundOperation,
  replica: Replica,
  events: NamespaceEvents,
): Answerer {
  const { operation, binding } = bound
  const read = ({ request }: Exchange) => {
    const query = readQuery(operation.input, request.query, binding.template.fields)
    const { key, ticket, since } = withPath(bound, request, query)
    return { namespaceKey: resolveNamespaceKey(String(key), 'key'), ticket, since }
  }
  return {
    errorBody: ofrepErrorBody,
    ticketOf(exchange) {
      const { ticket, namespaceKey } = read(exchange)
      return ticket === undefined ? undefined : { text: String(ticket), namespaceKey }
    },
    prepare(exchange) {
      const { namespaceKey, since } = read(exchange)
      return {
        namespaceKeys: [namespaceKey],
        answer(identity) {
          // Until there are flags, it is not known what has changed.
          if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
          const held = String(exchange.request.raw.headers['last-event-id'] ?? since ?? '')
          const { address } = exchange
          const caller = { identity, access: operation.access, namespaceKey, address }
          return (reply) => events.open(reply, caller, held === '' ? undefined : held)
        },
      }
    },
  }
}
