import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { parse } from 'yaml'
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

/** @returns the path of a file with these values, in the folder of the test */
export function writeValues(t: Test, values: object): string {
  const file = join(t.testdir(), 'values.json')
  writeFileSync(file, JSON.stringify(values))
  return file
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
  return await renderChart(join(root, 'deploy/helm'), helm, values, options)
}

/** What Helm prints after an installation, which `helm template` leaves out. */
export async function renderNotes(t: Test, helm: string, values: string): Promise<string> {
  const chart = join(t.testdirName, 'chart')
  cpSync(join(root, 'deploy/helm'), chart, { recursive: true, dereference: true })
  const notes = readFileSync(join(chart, 'templates/NOTES.txt'), 'utf8')
  writeFileSync(join(chart, 'templates/_notes.tpl'), `{{ define "notes" }}${notes}{{ end }}`)
  const template = 'apiVersion: v1\nkind: Notes\nnotes: {{ include "notes" . | toJson }}\n'
  writeFileSync(join(chart, 'templates/notes.yaml'), template)
  const text = await renderChart(chart, helm, values, ['--show-only', 'templates/notes.yaml'])
  return (parse(text) as { readonly notes: string }).notes
}

async function renderChart(
  chart: string,
  helm: string,
  values: string,
  options: readonly string[],
): Promise<string> {
  const where = ['template', 'svc', chart, '--namespace', 'flags', '--kube-version', 'v1.35.4']
  const args = [...where, '--values', values, ...options]
  const { stdout } = await promisify(execFile)(helm, args, {
    timeout: limitMs,
    maxBuffer: 16 * 2 ** 20,
  })
  return stdout
}

/** The kinds that templates look up, by the path of their API. */
const lookedUp = {
  '/api/v1': [
    { kind: 'Secret', name: 'secrets' },
    { kind: 'ServiceAccount', name: 'serviceaccounts' },
  ],
  '/apis/apps/v1': [{ kind: 'Deployment', name: 'deployments' }],
}

/** An object of the namespace `flags`. */
export interface LiveObject {
  readonly kind: 'Secret' | 'ServiceAccount' | 'Deployment'
  readonly metadata: { readonly name: string }
}

/**
 * Answers what a template looks up, as the API server of a cluster.
 *
 * @param objects as they are in the namespace `flags`
 * @returns options of `helm template`, by which it asks there
 */
export async function startApiServer(
  t: Test,
  objects: readonly LiveObject[],
): Promise<readonly string[]> {
  const answers = new Map<string, object>()
  for (const [api, resources] of Object.entries(lookedUp)) {
    const apiVersion = api.replace(/^\/apis?\//, '')
    const all = resources.map((one) => ({ ...one, namespaced: true, verbs: ['get'] }))
    answers.set(api, { kind: 'APIResourceList', groupVersion: apiVersion, resources: all })
    for (const { kind, name } of resources) {
      for (const one of objects.filter((one) => one.kind === kind)) {
        const path = `${api}/namespaces/flags/${name}/${one.metadata.name}`
        answers.set(path, { apiVersion, ...one })
      }
    }
  }
  const none = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'NotFound',
    code: 404,
  }
  const server = createServer(({ url = '' }, response) => {
    const answer = answers.get(url.split('?')[0] ?? '')
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? none))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const address = ['--kube-apiserver', `http://127.0.0.1:${port}`]
  return ['--dry-run=server', '--kubeconfig', '/dev/null', ...address]
}
