// Enforces the NetworkPolicies of the pods of one node by iptables, which the bridge plugin does not do.
//   node policies.ts API_SERVER PKI NODE
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClusterObject, list, openReader } from './api.ts'
import { type NetworkPolicy, type Pod, rulesOf } from './policies.rules.ts'

const [apiServer = '', pki = '', node = ''] = process.argv.slice(2)
/** How long a new pod or policy may go unnoticed. */
const everyMs = 500

const read = openReader(pki)
let current = ''

/** Before all that kube-proxy lets through. What pods send to the node itself counts too. */
const jumps = [
  ['FORWARD', '-j', 'NP'],
  ['INPUT', '-i', 'pods', '-j', 'NP'],
]

function iptables(...args: readonly string[]): string {
  return execFileSync('iptables', ['-w', ...args], { encoding: 'utf8', stdio: 'pipe' })
}

async function enforce(): Promise<void> {
  const [pods, namespaces, policies] = await Promise.all([
    list<Pod>(read, apiServer, '/api/v1/pods'),
    list<ClusterObject>(read, apiServer, '/api/v1/namespaces'),
    list<NetworkPolicy>(read, apiServer, '/apis/networking.k8s.io/v1/networkpolicies'),
  ])
  const rules = rulesOf(node, { pods, namespaces, policies })
  if (rules !== current) {
    execFileSync('iptables-restore', ['--noflush', '--wait'], { input: rules, stdio: 'pipe' })
    current = rules
  }
  for (const [chain = '', ...jump] of jumps) {
    const first = iptables('-S', chain, '1').trim()
    if (first === ['-A', chain, ...jump].join(' ')) continue
    try {
      iptables('-D', chain, ...jump)
    } catch {
      // It was not there yet.
    }
    iptables('-I', chain, ...jump)
  }
}

for (;;) {
  await enforce().catch((error: unknown) => console.error(error))
  await sleep(everyMs)
}
