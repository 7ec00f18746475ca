import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { type Families, lackOfNamespaces, runInNamespace } from '../support/network-namespace.ts'

// Three services start in each namespace.
t.setTimeout(600_000)

const skip = lackOfNamespaces()

interface Namespace {
  readonly families: Families
  readonly addresses: readonly string[]
  /** For `NODE_OPTIONS` of the services. */
  readonly options?: string
}

/** Refuses sockets of IPv6, as a kernel without it does. */
const withoutIpv6 = `--import "data:text/javascript,${encodeURIComponent(
  'const unsupported = -97; process.binding("tcp_wrap").TCP.prototype.bind6 = () => unsupported',
)}"`

const namespaces: Readonly<Record<string, Namespace>> = {
  'IPv6 alone': { families: 'ipv6', addresses: ['[::1]'] },
  'IPv4 alone': { families: 'ipv4', addresses: ['127.0.0.1'] },
  'a kernel without IPv6': {
    families: 'ipv4',
    addresses: ['127.0.0.1'],
    options: withoutIpv6,
  },
  'both families': { families: 'both', addresses: ['[::1]', '127.0.0.1'] },
}

for (const [name, { families, addresses, options = '' }] of Object.entries(namespaces)) {
  t.test(`services that listen on :: answer where there is ${name}`, { skip }, async (t) => {
    const { url } = await createTestDatabase(t)
    const { hostname: host, port } = new URL(url)
    const servers = { DATABASE: { host, port: Number(port) } }
    const answers = await runInNamespace(t, families, 'namespace-stack.js', servers, {
      DATABASE_URL: url,
      ADDRESSES: addresses.join(' '),
      SERVICE_OPTIONS: options,
    })
    const ready = { auth: 200, resource: 200, gateway: 200 }
    const evaluated = { enabled: true, reason: 'DEFAULT_EVALUATION_REASON' }
    t.match(answers, Object.fromEntries(addresses.map((one) => [one, { ready, evaluated }])))
  })
}
