import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openEvents } from '../support/event-source.ts'
import { timeUntil } from '../support/load.ts'
import { allEnded, listConnections, listPods, type Pod, scale } from './support/cluster.ts'
import { atMost } from './support/figures.ts'
import { deploymentOf, ensureInstalled, type Release, selectorOf } from './support/release.ts'
import { countOf, flag, flagKey, startTraffic, usualRate } from './support/traffic.ts'

/** How often each service grows and shrinks. */
const rounds = Number(process.env.SCALINGS ?? 1)

/** How soon after a replica is ready every gateway has a connection to it, in seconds. */
const foundS = 30
/** Calls over which the replicas are compared, and how many the busiest may get for one of the idlest. */
const calls = 10_000
const maxRatio = 1.5

t.setTimeout(rounds * 1_800_000)

/** What has to be called there for each request, because a gateway cannot answer it. */
const requestsTo = {
  auth: { method: 'GET', path: '/auth/v1/tokens?limit=1', expected: '"authentications"' },
  resource: {
    method: 'GET',
    path: `/api/v1/namespaces/default/flags/${flagKey}`,
    expected: `"key":"${flagKey}"`,
  },
} as const

const ports = { auth: 9001, resource: 9002 }

type Scaled = keyof typeof requestsTo

for (const tier of ['auth', 'resource'] as const) {
  t.test(`${tier} from 2 to 4 replicas and back, ${rounds} times`, async (t) => {
    const release = await ensureInstalled()
    const stream = await followFlag(t, release)
    for (let round = 1; round <= rounds; round += 1) {
      // Little, so that what is compared comes from the calls.
      const traffic = startTraffic(t, release, { perSecond: 20 })
      const pods = await scale(deploymentOf(tier), 4, selectorOf(tier))
      const areFound = () => everyGatewayHas(tier, pods)
      const tookS = (readyAgoMs(pods) + (await timeUntil(areFound, 120_000))) / 1000
      atMost(t, `${tier}: until every gateway has 4 connections`, tookS, foundS, 's')
      const before = await bytesOf(tier, pods)
      const requests = startTraffic(t, release, { requests: [requestsTo[tier]] })
      await sleep((calls / usualRate) * 1000)
      t.strictSame((await requests.stop()).failed, {})
      const counts = (await bytesOf(tier, pods)).map((count, i) => count - (before[i] ?? 0))
      const ratio = Math.max(...counts) / Math.min(...counts)
      t.comment(`${tier}: bytes by replica ${counts.join(', ')}`)
      atMost(t, `${tier}: busiest of 4 replicas to idlest`, ratio, maxRatio)
      await scale(deploymentOf(tier), 2, selectorOf(tier))
      await allEnded()
      const { failed, total } = await traffic.stop()
      t.strictSame(failed, {})
      atMost(t, `${tier}: failed of ${total} while it grew and shrank`, countOf(failed), 0)
    }
    const missed = await stream.missed()
    t.strictSame(missed, [], 'no change was missed by the stream')
  })
}

/** Milliseconds since the last of them became ready. */
function readyAgoMs(pods: readonly Pod[]): number {
  const times = pods.map(({ status }) =>
    Date.parse(status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? ''),
  )
  return Math.max(Date.now() - Math.max(...times), 0)
}

async function everyGatewayHas(tier: Scaled, pods: readonly Pod[]): Promise<boolean> {
  const gateways = await listPods(selectorOf('gateway'))
  const callers = await Promise.all(pods.map((pod) => listConnections(pod, ports[tier])))
  return callers.every((connections) =>
    gateways.every(({ status }) => connections.some(({ address }) => address === status.podIP)),
  )
}

/** What gateways have sent to each: as many bytes a call. */
async function bytesOf(tier: Scaled, pods: readonly Pod[]): Promise<readonly number[]> {
  return await Promise.all(
    pods.map(async (pod) =>
      (await listConnections(pod, ports[tier])).reduce((sum, { bytes }) => sum + bytes, 0),
    ),
  )
}

/** Changes a flag all the time, and listens to its changes at every gateway. */
async function followFlag(t: Test, { api, token }: Release) {
  const key = 'followed'
  const path = '/api/v1/namespaces/default/flags'
  await api('POST', path, { ...flag, key })
  const streams = await Promise.all(
    (await listPods(selectorOf('gateway'))).map(({ status }) =>
      openEvents(t, `http://${status.podIP}:8080/ofrep/v1/namespaces/default/events`, {
        authorization: `Bearer ${token}`,
      }),
    ),
  )
  let latest = 0
  let isOver = false
  const writing = (async () => {
    for (let i = 0; !isOver; i += 1) {
      const { headers } = await api('PUT', `${path}/${key}`, { ...flag, key, name: `Name ${i}` })
      latest = Number(headers.get('x-svc-revision')?.split(':')[1] ?? latest)
      await sleep(500)
    }
  })()
  return {
    /** What each stream told last, where that is not the last change. */
    async missed() {
      isOver = true
      await writing
      const told = () =>
        streams.map((stream) => Number(stream.events().at(-1)?.id?.split(':').at(-1) ?? 0))
      await timeUntil(async () => told().every((revision) => revision >= latest), 10_000)
      return told().filter((revision) => revision < latest)
    },
  }
}
