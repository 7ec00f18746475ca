import { readFileSync } from 'node:fs'
import { timeUntil } from '../../support/load.ts'
import { type CommandOptions, command, type Ended, tryCommand } from './commands.ts'

/** Where the suite installs; it is made and deleted by it. */
export const namespace = 'svc-suite'

export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly nodeName: string }
  readonly status: {
    readonly podIP: string
    readonly phase: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly lastTransitionTime: string
    }[]
    readonly containerStatuses?: readonly {
      readonly containerID: string
      readonly restartCount: number
      readonly image: string
    }[]
  }
}

export async function kubectl(args: readonly string[], options?: CommandOptions): Promise<string> {
  return await command('kubectl', ['--namespace', namespace, ...args], options)
}

export async function tryKubectl(
  args: readonly string[],
  options?: CommandOptions,
): Promise<Ended> {
  return await tryCommand('kubectl', ['--namespace', namespace, ...args], options)
}

/** @param args such as `['deployment', 'svc-auth']` */
export async function getObject<T>(...args: readonly string[]): Promise<T> {
  return JSON.parse(await kubectl(['get', ...args, '--output', 'json'])) as T
}

/** Makes objects, or changes them; each names its namespace. */
export async function apply(objects: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
  await command('kubectl', ['apply', '--filename', '-'], { input })
}

/** The pods that a selector names and that are not about to end. */
export async function listPods(selector: string, within = namespace): Promise<readonly Pod[]> {
  const args = ['pods', '--namespace', within, '--selector', selector]
  const { items } = await getObject<{ items: readonly Pod[] }>(...args)
  return items.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status.phase),
  )
}

/** Waits until no pod is about to end. */
export async function allEnded(): Promise<void> {
  const isOver = async () => {
    const { items } = await getObject<{ items: readonly Pod[] }>('pods')
    return items.every(({ metadata }) => metadata.deletionTimestamp === undefined)
  }
  const tookMs = await timeUntil(isOver, 120_000)
  if (tookMs > 120_000) throw new Error('a pod does not end')
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false
}

/** Waits until all pods of a deployment are as it says, and available. */
export async function rolledOut(
  deployment: string,
  { within = namespace, limitMs = 180_000 } = {},
): Promise<void> {
  const args = ['rollout', 'status', '--namespace', within, `deployment/${deployment}`]
  await kubectl([...args, `--timeout=${limitMs / 1000}s`], { limitMs: limitMs + 5000 })
}

/** Scales a deployment. @returns its pods, once all of them are ready */
export async function scale(
  deployment: string,
  replicas: number,
  selector: string,
): Promise<readonly Pod[]> {
  await kubectl(['scale', `deployment/${deployment}`, `--replicas=${replicas}`])
  let pods: readonly Pod[] = []
  const areReady = async () => {
    pods = await listPods(selector)
    return pods.length === replicas && pods.every(isReady)
  }
  const tookMs = await timeUntil(areReady, 120_000)
  if (tookMs > 120_000) throw new Error(`${deployment} has not ${replicas} pods that are ready`)
  return pods
}

function folder(): string {
  const { KUBE_DIR } = process.env
  if (KUBE_DIR === undefined) throw new Error('KUBE_DIR is not set: use pnpm test:kubernetes')
  return KUBE_DIR
}

/** Runs a program in the network and process namespaces of a node. @param node such as `node1` */
export async function onNode(node: string, args: readonly string[]): Promise<string> {
  const pid = readFileSync(`${folder()}/${node}.pid`, 'utf8').trim()
  return await command('nsenter', ['--target', pid, '--net', '--pid', '--mount', ...args])
}

/** Signals a program that runs on a node itself, such as `kube-apiserver`. */
export async function signalDaemon(node: string, name: string, signal: string): Promise<void> {
  const pid = readFileSync(`${folder()}/${node}/${name}.pid`, 'utf8').trim()
  await onNode(node, ['kill', '-s', signal, pid])
}

function containerd({ spec, status }: Pod) {
  const id = status.containerStatuses?.[0]?.containerID.replace('containerd://', '') ?? ''
  const socket = `${folder()}/${spec.nodeName}/containerd.sock`
  return { id, ctr: ['--address', socket, '--namespace', 'k8s.io', 'task'] }
}

/** Ends the only container of a pod as the kernel would: without a word. */
export async function killContainer(pod: Pod): Promise<void> {
  const { id, ctr } = containerd(pod)
  await command('ctr', [...ctr, 'kill', '--signal', 'SIGKILL', id])
}

export interface Connection {
  /** Of the caller. */
  readonly address: string
  /** What has come from there. */
  readonly bytes: number
}

/** The connections to a port of a pod, as the kernel has them. */
export async function listConnections(pod: Pod, port: number): Promise<readonly Connection[]> {
  const { id, ctr } = containerd(pod)
  const tasks = await command('ctr', [...ctr, 'ls'])
  const pid =
    tasks
      .split('\n')
      .find((line) => line.startsWith(id))
      ?.split(/\s+/)[1] ?? ''
  const ss = ['ss', '--no-header', '--oneline', '--tcp', '--numeric', '--info']
  const text = await onNode(pod.spec.nodeName, ['nsenter', '--target', pid, '--net', ...ss])
  return text.split('\n').flatMap((line) => {
    const [state, , , own = '', peer = ''] = line.split(/\s+/)
    if (state !== 'ESTAB' || !own.endsWith(`:${port}`)) return []
    const address = peer.replace(/:\d+$/, '').replace(/[[\]]|::ffff:/g, '')
    return [{ address, bytes: Number(/ bytes_received:(\d+)/.exec(line)?.[1] ?? 0) }]
  })
}
