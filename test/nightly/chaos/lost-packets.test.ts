import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { figure } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { timeUntil } from '../../support/load.ts'

/** More than may wait for a process to take them; a later connection is not answered at all. */
const callers = 600

/**
 * Connecting is tried again and again, but after ever longer pauses: by now one of many seconds has
 * begun.
 */
const stoppedMs = 14_000

/** How soon after it goes on a service has to be found again. */
const recoveryMs = 3000

/** Holds connections that are not accepted, so that the packets of later ones are dropped. */
async function fillQueue(port: number): Promise<() => void> {
  const sockets: Socket[] = []
  for (let i = 0; i < callers; i += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    const isConnected = await Promise.race([once(socket, 'connect'), sleep(300)])
    if (isConnected === undefined) break
  }
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

t.test('a service whose packets are lost for a while is found again at once', async (t) => {
  const { api, resources } = await startFleet(t)
  const [resource] = resources
  if (resource === undefined) throw new Error('there is no resource service')
  const flags = '/api/v1/namespaces/default/flags'
  await createFlag(api)

  await resource.kill('SIGSTOP')
  const leave = await fillQueue(resource.port)
  await sleep(stoppedMs)
  t.match((await api('GET', flags)).status, /^50[34]$/)
  await resource.kill('SIGCONT')
  leave()

  const isBack = async () => {
    const { status } = await api('PUT', `${flags}/on`, { name: 'On', enabled: true })
    const answer = await api('POST', '/evaluate/v1/boolean', { flagKey: 'on' })
    return status === 200 && answer.headers.get('x-svc-data-age') === null
  }
  const tookMs = await timeUntil(isBack, 20_000)
  const what = 'found again when packets pass'
  figure(t, 'R-21', what, { atMost: recoveryMs, unit: 'ms' }, tookMs)
})
