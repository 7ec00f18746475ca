import type { ClusterObject } from './api.ts'

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: keyof typeof operators
    readonly values?: readonly string[]
  }[]
}

export interface Pod extends ClusterObject {
  readonly spec: {
    readonly nodeName?: string
    readonly hostNetwork?: boolean
    readonly containers: readonly {
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
    }[]
  }
  readonly status: { readonly phase: string; readonly podIP?: string }
}

interface Peer {
  readonly podSelector?: Selector
  readonly namespaceSelector?: Selector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}

interface Rule {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports?: readonly {
    readonly protocol?: string
    readonly port?: number | string
    readonly endPort?: number
  }[]
}

export interface NetworkPolicy extends ClusterObject {
  readonly spec: {
    readonly podSelector?: Selector
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly Rule[]
    readonly egress?: readonly Rule[]
  }
}

interface Objects {
  readonly pods: readonly Pod[]
  readonly namespaces: readonly ClusterObject[]
  readonly policies: readonly NetworkPolicy[]
}

/** One end of a connection: addresses, and the pod that has them. */
interface End {
  readonly cidrs: readonly string[]
  readonly pod?: Pod
}

const directions = [
  { type: 'Ingress', own: '-d', other: '-s' },
  { type: 'Egress', own: '-s', other: '-d' },
] as const

/**
 * The rules of one node for `iptables-restore`. A packet passes the chain of each of its ends that policies select,
 * and returns from there when one lets it through.
 */
export function rulesOf(node: string, objects: Objects): string {
  const live = objects.pods.filter(
    ({ spec, status }) =>
      spec.hostNetwork !== true &&
      status.podIP !== undefined &&
      !['Succeeded', 'Failed'].includes(status.phase),
  )
  const chains: string[] = []
  const jumps = ['-A NP -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN']
  const rules: string[] = []
  for (const pod of live.filter(({ spec }) => spec.nodeName === node)) {
    const address = pod.status.podIP ?? ''
    for (const { type, own, other } of directions) {
      const policies = objects.policies.filter((policy) => selects(policy, pod, type))
      if (policies.length === 0) continue
      const chain = `NP-${type}-${address}`
      chains.push(chain)
      jumps.push(`-A NP ${own} ${address} -j ${chain}`)
      for (const { metadata, spec } of policies) {
        for (const rule of (type === 'Ingress' ? spec.ingress : spec.egress) ?? []) {
          const peers = (type === 'Ingress' ? rule.from : rule.to) ?? []
          for (const { cidrs, pod: peer } of endsOf(peers, metadata.namespace, live, objects)) {
            for (const ports of portsOf(rule, type === 'Ingress' ? pod : peer))
              for (const cidr of cidrs) rules.push(`-A ${chain} ${other} ${cidr}${ports} -j RETURN`)
          }
        }
      }
      rules.push(`-A ${chain} -j DROP`)
    }
  }
  const heads = ['NP', ...chains].map((chain) => `:${chain} - [0:0]`)
  return ['*filter', ...heads, ...jumps, ...rules, 'COMMIT', ''].join('\n')
}

function selects({ metadata, spec }: NetworkPolicy, pod: Pod, type: 'Ingress' | 'Egress') {
  const types = spec.policyTypes ?? ['Ingress', ...(spec.egress === undefined ? [] : ['Egress'])]
  return (
    metadata.namespace === pod.metadata.namespace &&
    types.includes(type) &&
    fits(spec.podSelector, pod)
  )
}

const operators = {
  In: (value: string | undefined, values: readonly string[]) =>
    value !== undefined && values.includes(value),
  NotIn: (value: string | undefined, values: readonly string[]) =>
    value === undefined || !values.includes(value),
  Exists: (value: string | undefined) => value !== undefined,
  DoesNotExist: (value: string | undefined) => value === undefined,
}

function fits(selector: Selector | undefined, { metadata }: ClusterObject): boolean {
  const { labels = {} } = metadata
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {}
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) =>
      operators[operator](labels[key], values),
    )
  )
}

function endsOf(
  peers: readonly Peer[],
  namespace: string | undefined,
  pods: readonly Pod[],
  { namespaces }: Objects,
): readonly End[] {
  if (peers.length === 0) return [{ cidrs: ['0.0.0.0/0'] }]
  return peers.flatMap(({ ipBlock, namespaceSelector, podSelector }): End[] => {
    if (ipBlock !== undefined) {
      if (ipBlock.cidr.includes(':')) return []
      return [{ cidrs: without(ipBlock.cidr, ipBlock.except ?? []) }]
    }
    const names = new Set(
      namespaces
        .filter((one) =>
          namespaceSelector === undefined
            ? one.metadata.name === namespace
            : fits(namespaceSelector, one),
        )
        .map(({ metadata }) => metadata.name),
    )
    return pods
      .filter((pod) => names.has(pod.metadata.namespace ?? '') && fits(podSelector, pod))
      .map((pod) => ({ cidrs: [pod.status.podIP ?? ''], pod }))
  })
}

/** The matches of a rule's ports. @param called whose names of ports count; none for addresses outside */
function portsOf({ ports = [] }: Rule, called: Pod | undefined): readonly string[] {
  if (ports.length === 0) return ['']
  return ports.flatMap(({ protocol = 'TCP', port, endPort }) => {
    const match = ` -p ${protocol.toLowerCase()}`
    if (port === undefined) return [match]
    const numbers =
      typeof port === 'number'
        ? [endPort === undefined ? `${port}` : `${port}:${endPort}`]
        : (called?.spec.containers ?? [])
            .flatMap(({ ports = [] }) => ports)
            .filter(({ name }) => name === port)
            .map(({ containerPort }) => `${containerPort}`)
    return numbers.map((number) => `${match} --dport ${number}`)
  })
}

/** A block without others, as blocks: it is halved until each half is outside or inside of all of them. */
function without(cidr: string, except: readonly string[]): readonly string[] {
  const outer = toBlock(cidr)
  const inner = except.filter((one) => !one.includes(':')).map(toBlock)
  const cut = (block: Block): readonly string[] => {
    if (inner.some((other) => contains(other, block))) return []
    if (!inner.some((other) => contains(block, other))) return [toText(block)]
    const bits = block.bits + 1
    const half = 2 ** (32 - bits)
    return [cut({ start: block.start, bits }), cut({ start: block.start + half, bits })].flat()
  }
  return cut(outer)
}

interface Block {
  readonly start: number
  readonly bits: number
}

function toBlock(cidr: string): Block {
  const [address = '', bits = '32'] = cidr.split('/')
  const start = address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
  return { start, bits: Number(bits) }
}

function toText({ start, bits }: Block): string {
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256)
  return `${octets.join('.')}/${bits}`
}

function contains(one: Block, other: Block): boolean {
  return (
    other.bits >= one.bits &&
    Math.floor(one.start / 2 ** (32 - one.bits)) === Math.floor(other.start / 2 ** (32 - one.bits))
  )
}
