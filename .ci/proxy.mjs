// The proxy before the gateways: client addresses, and requests that fail when a gateway ends.
import assert from 'node:assert/strict'
import { duringLoad } from './load.mjs'
import {
  call,
  compose,
  composeWith,
  containers,
  docker,
  inNetwork,
  inspect,
  networkOf,
  openNetworksOf,
  services,
} from './stack.mjs'
import { check, waitFor } from './tally.mjs'

/** Time limit of a restart: the engine needs half a second, on a busy machine more. */
const restartLimitMs = 5000

/** An address that no client of a test has. */
const forged = '198.51.100.7'

export async function seesClients(token) {
  await check('auth alone reaches the outside, the proxy alone is reached', async () => {
    const open = {}
    for (const service of services) {
      open[service] = await openNetworksOf(service)
    }
    const none = { gateway: [], resource: [], postgres: [], redis: [] }
    assert.deepEqual(open, { proxy: ['edge'], auth: ['outside'], ...none })
  })
  const body = { name: 'addressed', allowedAddresses: [forged] }
  const made = await call('POST', '/auth/v1/method/token', body, token)
  const askAs = (address) =>
    inNetwork('edge', async (url, headers) => (await fetch(url, { headers })).status, [
      'http://proxy:8080/auth/v1/self',
      { authorization: `Bearer ${made.body.clientToken}`, 'x-forwarded-for': address },
    ])
  await check('a client cannot forge its address', async () => {
    assert.equal(await askAs(forged), 403)
    assert.equal(await askAs(`${forged}, ${forged}`), 403)
  })
  await check('a trusted proxy can set it: the last address that it sends counts', async () => {
    const [{ Subnet }] = (await networkOf('edge')).IPAM.Config
    const trusting = { SVC_SERVER_TRUSTED_PROXIES: `192.0.2.1,${Subnet}` }
    await composeWith(trusting, 'up', '--detach', '--no-deps', 'proxy')
    await waitFor(20_000, async () => assert.equal(await askAs(`6.6.6.6, ${forged}`), 200))
    assert.equal(await askAs(`${forged}, 6.6.6.6`), 403)
  })
}

/** Needs three gateways, with the number in `.env`. */
export async function losesNothing(request) {
  const lossless = async (sentence, work) =>
    check(sentence, async () => {
      const { sent, failures } = await duringLoad(request, work)
      console.log(`    ${sent} requests, ${failures.length} failed`)
      assert.deepEqual(failures, [])
      await waitFor(60_000, async () => {
        const states = await inspect('{{.State.Health.Status}}', ...(await containers('gateway')))
        assert.deepEqual(states, Array(3).fill('healthy'))
      })
    })
  await lossless('no request fails when one of three gateways is killed', async () => {
    const [id] = await containers('gateway')
    await docker('kill', id)
    await docker('start', id)
  })
  await lossless('no request fails when two of three gateways are stopped in turn', async () => {
    const stopped = (await containers('gateway')).slice(0, 2)
    for (const id of stopped) await docker('stop', '--time', '30', id)
    const states = await inspect('{{.State.Running}} {{.State.ExitCode}}', ...stopped)
    assert.deepEqual(states, ['false 0', 'false 0'])
    await docker('start', ...stopped)
  })
  await lossless(
    'no request fails when three gateways become five, one, and three again',
    async () => {
      const change = ['up', '--detach', '--no-recreate', '--no-deps']
      for (const count of [5, 1]) {
        await compose(...change, '--scale', `gateway=${count}`, 'gateway')
        assert.equal((await containers('gateway')).length, count)
      }
      await compose(...change, 'gateway')
      assert.equal((await containers('gateway')).length, 3)
    },
  )
}

export async function restartsProxy(request) {
  await check('the proxy restarts at once when it crashes', async () => {
    const [id] = await containers('proxy')
    const { sent, failures, tookMs } = await duringLoad(request, async () => {
      // The process itself: the engine does not restart what it was asked to kill.
      await docker('exec', id, 'bash', '-c', 'kill -9 $(</proc/1/task/1/children)').catch(() => {})
      await waitFor(60_000, async () => {
        assert.deepEqual(await inspect('{{.RestartCount}} {{.State.Running}}', id), ['1 true'])
      })
    })
    console.log(`    ${failures.length} of ${sent} requests failed, over ${tookMs} ms`)
    assert.ok(tookMs < restartLimitMs, failures.join('\n'))
  })
}
