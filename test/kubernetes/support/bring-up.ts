import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command } from './commands.ts'

/** The release of Kubernetes, as cluster/names.sh has it. */
const version = '1.35.4'

/** From test/dist/kubernetes/support. */
const scripts = fileURLToPath(new URL('../../../kubernetes/cluster/', import.meta.url))

const programs = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kubectl',
  'kube-proxy',
  'helm',
  'images/pause.tar',
  'images/coredns.tar',
]

/** Bringing it up takes 20 to 40 s; loading images a minute or two. Ten times that. */
const limitMs = 900_000

function programsFolder(): string {
  const { KUBE_BIN, XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env
  return KUBE_BIN || join(XDG_CACHE_HOME, 'svc', `kubernetes-${version}`)
}

/** @returns why no cluster can be started here; undefined when one can */
export function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux'
  const missing = programs.filter((name) => !existsSync(join(programsFolder(), name)))
  if (missing.length === 0) return undefined
  return `${missing.join(', ')} not in ${programsFolder()} (test/kubernetes/cluster/build.sh)`
}

/** What programs need to find the cluster, and each other. */
export function clusterEnv(): Readonly<Record<string, string>> {
  const { KUBE_DIR = '/tmp/svc-cluster', PATH = '' } = process.env
  return {
    KUBE_BIN: programsFolder(),
    KUBE_DIR,
    KUBE_NODES: '2',
    KUBECONFIG: join(KUBE_DIR, 'admin.kubeconfig'),
    NODE: process.execPath,
    PATH: `${programsFolder()}:${PATH}:/usr/sbin:/sbin`,
  }
}

async function run(script: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const env = { ...process.env, ...clusterEnv() }
  await command(join(scripts, script), args, { env, limitMs })
}

/** Two nodes that have the images. */
export async function startCluster(images: readonly string[], signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  await run('up.sh', [], signal)
  console.log(`the cluster is up after ${seconds(startedAt)}`)
  await run('load.sh', images, signal)
  console.log(`its nodes have ${images.length} images after ${seconds(startedAt)}`)
}

export async function stopCluster(): Promise<void> {
  await run('down.sh', [])
}

function seconds(startedAt: number): string {
  return `${Math.round((performance.now() - startedAt) / 1000)} s`
}
