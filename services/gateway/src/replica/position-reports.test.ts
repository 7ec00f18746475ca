import {
  GatewayServiceDefinition,
  type ReportPositionRequest,
} from '@svc/proto/resource/v1/gateways'
import { RpcChannel, RpcServer, unprotected } from '@svc/rpc'
import { AppError, createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { newGatewayId, PositionReports } from './position-reports.ts'
import { change, inStep, openReplica } from './testing.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** A gateway's reports to something that notes them. */
async function openReports(t: Test) {
  const { replica, resource } = await openReplica(t)
  const received: ReportPositionRequest[] = []
  const departed: string[] = []
  const act = { onReport: async () => {} }
  const unused = async (): Promise<never> => {
    throw new AppError('unimplemented', 'unused', 'not used by tests')
  }
  const server = new RpcServer({ log, protection: unprotected }).add(GatewayServiceDefinition, {
    getPropagation: unused,
    listGateways: unused,
    async reportPosition(request) {
      received.push(request)
      await act.onReport()
      return {}
    },
    async reportDeparture({ gatewayId }) {
      departed.push(gatewayId)
      return {}
    },
  })
  const port = await server.listen('127.0.0.1:0')
  const channel = new RpcChannel(`127.0.0.1:${port}`, { name: 'the resource service' })
  const reports = new PositionReports(channel, replica, log)
  const end = new AbortController()
  const following = reports.follow(end.signal)
  const close = async () => {
    end.abort()
    await following
  }
  t.teardown(async () => {
    await close()
    channel.close()
    await server.close()
  })
  return { replica, resource, reports, received, departed, act, close }
}

const revisionsOf = ({ positions }: ReportPositionRequest) =>
  Object.fromEntries(positions.map(({ namespaceKey, revision }) => [namespaceKey, revision]))

t.jobs = 4

t.test('a gateway reports once everything is here, with what it has', async (t) => {
  const { replica, resource, received, reports } = await openReports(t)
  resource.send(change('default', [0, 5], ['a'], { committedMsAgo: 1000 }), change('b', [0, 3]))
  await waitFor(() => replica.revisionOf('b') === 3)
  t.strictSame(received, [])
  resource.send(...inStep(1500))
  await waitFor(() => received.length > 0)
  const [first] = received
  t.match(first, { gatewayId: reports.id, number: 1, dataAgeMs: 1500 })
  t.match(first?.positions, [
    { namespaceKey: 'b', revision: 3, tookMs: undefined },
    { namespaceKey: 'default', revision: 5, tookMs: undefined },
  ])
  resource.send(change('default', [5, 6], ['a'], { committedMsAgo: 40 }))
  await waitFor(() => received.length > 1)
  t.match(received[1], { number: 2, positions: [{ revision: 6, tookMs: 40 }, {}] })
})

t.test('changes that come while it reports are in the next one', async (t) => {
  const { replica, resource, received, act } = await openReports(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  act.onReport = () => promise
  resource.send(change('default', [0, 1]), ...inStep())
  await waitFor(() => received.length === 1)
  for (let n = 1; n < 50; n++) resource.send(change('default', [n, n + 1]))
  await waitFor(() => replica.revisionOf('default') === 50)
  t.equal(received.length, 1)
  resolve()
  await waitFor(() => received.length === 2)
  t.strictSame(received.map(revisionsOf), [{ default: 1 }, { default: 50 }])
})

t.test('a report that fails is made again, whole, and evaluation goes on', async (t) => {
  const { replica, resource, received, act } = await openReports(t)
  act.onReport = async () => {
    throw new AppError('unavailable', 'unavailable', 'away')
  }
  resource.send(change('default', [0, 1]), ...inStep())
  await waitFor(() => received.length === 1)
  resource.send(change('other', [0, 2]))
  await waitFor(() => replica.revisionOf('other') === 2)
  act.onReport = async () => {}
  await waitFor(() => received.length === 2)
  t.strictSame(received.map(revisionsOf), [{ default: 1 }, { default: 1, other: 2 }])
  t.ok(replica.isLoaded)
})

t.test('a report that is not answered is given up', async (t) => {
  const { resource, received, act, close, reports, departed } = await openReports(t)
  act.onReport = () => new Promise(() => {})
  resource.send(change('default', [0, 1]), ...inStep())
  await waitFor(() => received.length === 1)
  await close()
  await reports.leave()
  t.strictSame(departed, [reports.id])
})

t.test('a gateway that ends says so after its last report, if it made one', async (t) => {
  const { resource, received, departed, act, reports, close } = await openReports(t)
  await reports.leave()
  t.strictSame(departed, [])
  const { promise, resolve } = Promise.withResolvers<void>()
  act.onReport = () => promise
  resource.send(change('default', [0, 1]), ...inStep())
  await waitFor(() => received.length === 1)
  const closing = close().then(() => reports.leave())
  resource.send(change('default', [1, 2]))
  t.strictSame(departed, [])
  resolve()
  await closing
  t.strictSame([departed, received.length], [[reports.id], 1])
})

t.test('an id begins with the name of the host and is another one each time', async (t) => {
  t.match(newGatewayId('gateway-5d9f.local'), /^gateway-5d9f\.local-[0-9a-f]{12}$/)
  t.not(newGatewayId('a'), newGatewayId('a'))
  t.match(newGatewayId('ä b'), /^--b-[0-9a-f]{12}$/)
  t.match(newGatewayId(''), /^gateway-[0-9a-f]{12}$/)
  t.equal(newGatewayId('h'.repeat(300)).length, 61)
})
