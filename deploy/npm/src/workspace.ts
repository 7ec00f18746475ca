import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Manifest, Versions } from './manifest.ts'

/** What the repository says of its packages and of libraries. */
export interface Workspace {
  /** By name. */
  readonly manifests: ReadonlyMap<string, Manifest>
  readonly versions: Versions
}

export async function readWorkspace(root: string): Promise<Workspace> {
  const text = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8')
  const { catalog } = parse(text) as { catalog: Versions['catalog'] }
  const files = globSync('{proto,packages/*}/package.json', { cwd: root })
  const manifests = await Promise.all(files.map((file) => readManifest(join(root, file))))
  return {
    manifests: new Map(manifests.map((manifest) => [manifest.name, manifest])),
    versions: {
      catalog,
      workspace: Object.fromEntries(manifests.map(({ name, version }) => [name, version])),
    },
  }
}

export async function readManifest(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, 'utf8'))
}

/** The libraries of the packages that are bundled into a package, with their ranges. */
export function librariesOf(
  { dependencies = {} }: Manifest,
  manifests: Workspace['manifests'],
): Record<string, string> {
  const libraries: Record<string, string> = {}
  for (const [name, range] of Object.entries(dependencies)) {
    const bundled = range === 'workspace:*' ? manifests.get(name) : undefined
    if (bundled === undefined) continue
    for (const [other, range] of Object.entries(bundled.dependencies ?? {})) {
      if (!range.startsWith('workspace:')) libraries[other] = range
    }
    Object.assign(libraries, librariesOf(bundled, manifests))
  }
  return libraries
}
