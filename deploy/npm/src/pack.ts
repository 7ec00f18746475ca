import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { bundle } from './bundle.ts'
import { entriesOf, type Manifest, toPublished, type Versions } from './manifest.ts'

/** The packages that are published, by their folders. All others are bundled into them. */
export const publishedFolders = ['packages/client', 'packages/cli']

export interface PackOptions {
  /** The repository, which has been built. */
  readonly root: string
  /** The folder that the tarballs are written to; it is made if need be. */
  readonly into: string
  /**
   * The repository's address, as `git+https://…`: it is in the manifest, and npm holds it against the
   * provenance of what is published.
   */
  readonly repository?: string | undefined
}

export interface Packed {
  readonly name: string
  readonly version: string
  /** Of its sources, from the root. */
  readonly folder: string
  readonly tarball: string
  readonly bytes: number
}

/** How long npm may take to pack a folder, in milliseconds: it reads some ten files. */
const packTimeoutMs = 60_000

/** Packs each published package. The same sources give the same bytes. */
export async function packPackages(options: PackOptions): Promise<Packed[]> {
  const into = resolve(options.into)
  await mkdir(into, { recursive: true })
  const versions = await readVersions(options.root)
  const packed: Packed[] = []
  for (const folder of publishedFolders) {
    packed.push(await packFolder(folder, versions, { ...options, into }))
  }
  return packed
}

async function packFolder(
  folder: string,
  versions: Versions,
  { root, into, repository: url }: PackOptions,
): Promise<Packed> {
  const from = join(root, folder)
  const repository =
    url === undefined ? {} : { repository: { type: 'git', url, directory: folder } }
  const own = { ...(await readManifest(from)), ...repository }
  const manifest = toPublished(own, versions)
  const stage = await mkdtemp(join(tmpdir(), 'svc-pack-'))
  try {
    const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    for (const entry of entriesOf(manifest)) await bundle(entry, { from, to: stage, external })
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    await cp(join(from, 'README.md'), join(stage, 'README.md'))
    await cp(join(root, 'LICENSE'), join(stage, 'LICENSE'))
    const args = ['pack', stage, '--pack-destination', into, '--ignore-scripts', '--json']
    const { stdout } = await promisify(execFile)('npm', args, { timeout: packTimeoutMs })
    const [result] = JSON.parse(stdout) as { filename: string; size: number }[]
    if (result === undefined) throw new Error(`npm packed nothing of ${folder}`)
    const { name, version } = manifest
    return { name, version, folder, tarball: join(into, result.filename), bytes: result.size }
  } catch (cause) {
    throw new Error(`${folder} cannot be packed: ${describe(cause)}`, { cause })
  } finally {
    await rm(stage, { recursive: true })
  }
}

async function readVersions(root: string): Promise<Versions> {
  const text = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8')
  const { catalog } = parse(text) as { catalog: Versions['catalog'] }
  const manifests = await Promise.all(
    publishedFolders.map((folder) => readManifest(join(root, folder))),
  )
  return {
    catalog,
    workspace: Object.fromEntries(manifests.map(({ name, version }) => [name, version])),
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
