import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './chart.ts'

/** Where the programs of the cluster are, as `test/kubernetes` builds them. */
export const programs =
  process.env.KUBE_BIN ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc/kubernetes-1.35.4')

/** The path of a program, when it was built; its name, when `PATH` has it. */
export function findProgram(name: string): string | undefined {
  const folders = [programs, ...(process.env.PATH ?? '').split(':')]
  return folders.map((folder) => join(folder, name)).find(existsSync)
}

const limitMs = 60_000

/**
 * Renders the chart without a cluster.
 *
 * @param helm the path of Helm
 * @param values a file of values
 * @param options of `helm template`
 */
export async function render(helm: string, values: string, ...options: string[]): Promise<string> {
  const chart = join(root, 'deploy/helm')
  const where = ['template', 'svc', chart, '--namespace', 'flags', '--kube-version', 'v1.35.4']
  const args = [...where, '--values', values, ...options]
  const { stdout } = await promisify(execFile)(helm, args, {
    timeout: limitMs,
    maxBuffer: 16 * 2 ** 20,
  })
  return stdout
}
