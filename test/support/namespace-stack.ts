// What address-families.test.ts runs in a network namespace: the three services, listening on `::`. Prints, for each
// loopback address of ADDRESSES, what they answer there.
import { createServer } from 'node:net'
import { waitFor } from '@svc/runtime/testing'
import { call } from './http.ts'
import { listen } from './listen.ts'
import { relayTo } from './network-namespace.ts'
import { type Service, type ServiceProcess, startServiceProcess } from './service-process.ts'

const { ADDRESSES = '', DATABASE_URL = '', DATABASE = '', SERVICE_OPTIONS = '' } = process.env
const addresses = ADDRESSES.split(' ')
const [first = ''] = addresses

const works: (() => Promise<void>)[] = []
const t = { teardown: (work: () => Promise<void>) => void works.unshift(work) }

const token = 'a-token-for-one-test-only'
const everywhere = { SVC_SERVER_HOST: '::', SVC_SERVER_HTTP_PORT: '0', SVC_METRICS_HOST: '::' }

try {
  const url = new URL(DATABASE_URL)
  const host = first.replace(/^\[|\]$/g, '')
  url.host = `${first}:${await listen(t, createServer(relayTo({ path: DATABASE })), { host })}`
  const target = ({ port }: ServiceProcess) => `dns:///${first}:${port}`
  const start = (service: Service, env: Readonly<Record<string, string>>) =>
    startServiceProcess(t, service, {
      SVC_DB_URL: url.href,
      NODE_OPTIONS: SERVICE_OPTIONS,
      ...everywhere,
      ...env,
    })

  const auth = await start('auth', {
    SVC_AUTH_LISTEN: '[::]:0',
    SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
  })
  const resource = await start('resource', { SVC_RESOURCE_LISTEN: '[::]:0' })
  const gateway = await start('gateway', {
    SVC_AUTH_ADDRESS: target(auth),
    SVC_RESOURCE_ADDRESS: target(resource),
  })
  const parts = { auth, resource, gateway }
  const answers: Record<string, unknown> = {}
  for (const address of addresses) {
    const ready: Record<string, number> = {}
    for (const [name, part] of Object.entries(parts)) {
      const path = `http://${address}:${healthPortOf(part)}`
      await waitFor(async () => (await call(path, 'GET', '/readyz')).status === 200)
      ready[name] = (await call(path, 'GET', '/healthz')).status
    }
    answers[address] = {
      ready,
      evaluated: await evaluate(`http://${address}:${gateway.port}`, address),
    }
  }
  process.stdout.write(JSON.stringify(answers))
} finally {
  for (const work of works) await work()
}

function healthPortOf({ lines }: ServiceProcess): unknown {
  return lines.find(({ msg }) => msg === 'health and metrics are served')?.port
}

/** Writes a flag and evaluates it, at one address. */
async function evaluate(url: string, address: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  const key = address.includes(':') ? 'by-ipv6' : 'by-ipv4'
  const flag = { key, name: key, type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await call(url, 'POST', '/api/v1/namespaces/default/flags', flag, headers)
  const request = { flagKey: key, entityId: 'somewhere' }
  const ask = () => call(url, 'POST', '/evaluate/v1/boolean', request, headers)
  await waitFor(async () => (await ask()).status === 200)
  return (await ask()).body
}
