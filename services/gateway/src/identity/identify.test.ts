import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { loadContract } from '@svc/contract'
import { Identity } from '@svc/proto/auth/v1/identities'
import t from 'tap'
import { Exchange } from '../http/exchange.ts'
import { createIdentifier, type IdentifyParts } from './identify.ts'

/** How the operations with these resources are identified, with a token and without one. */
async function waysOf(authorization?: string) {
  const asked: string[] = []
  const identities = {
    identify: ({ token }: { token: string }, forEvaluation: boolean) => {
      asked.push(
        `${token === '' ? 'anonymous' : 'token'} ${forEvaluation ? 'evaluates' : 'manages'}`,
      )
      return Identity.fromPartial({})
    },
  }
  const parts = {
    identities,
    refusals: { note: () => {} },
    settings: { required: false, exclude: {}, methods: { jwt: { enabled: false } } },
    origins: {},
  } as unknown as IdentifyParts
  const identifierFor = createIdentifier(parts)
  const ways = new Map<string, Set<string>>()
  for (const operation of loadContract().operations) {
    const { scope, resource } = operation.access
    if (scope.case === 'internal' || scope.case === 'public') continue
    const raw = new IncomingMessage(new Socket())
    raw.rawHeaders = authorization === undefined ? [] : ['authorization', authorization]
    const request = { raw, id: '1', route: '/', body: undefined, params: {}, query: {} }
    asked.length = 0
    await identifierFor(operation)(new Exchange(request, () => ''))
    ways.set(resource, (ways.get(resource) ?? new Set()).add(asked[0] ?? 'not at all'))
  }
  const wayOf = (resource: string) => [...(ways.get(resource) ?? [])].join(', ')
  return ['EVALUATION', 'SNAPSHOT', 'PREVIEW', 'FLAG', 'DOCUMENT'].map(wayOf)
}

t.test('what shows the rules of flags counts as evaluation, explanations do not', async (t) => {
  const [evaluates, manages] = ['token evaluates', 'token manages']
  t.strictSame(await waysOf('Bearer x'), [evaluates, evaluates, manages, manages, manages])
  const [none, vouched] = ['not at all', 'anonymous manages']
  t.strictSame(await waysOf(), [none, none, vouched, vouched, vouched])
})
