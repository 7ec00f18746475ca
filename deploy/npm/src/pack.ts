import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { bundle } from './bundle.ts'
import { entriesOf, type Manifest, toPublished } from './manifest.ts'
import { librariesOf, readManifest, readWorkspace, type Workspace } from './workspace.ts'

/** The packages that are published, by their folders. All others are bundled into them. */
export const publishedFolders = ['packages/client', 'packages/openfeature', 'packages/cli']

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
  /** As it is in the tarball. */
  readonly manifest: Manifest
  readonly tarball: string
  readonly bytes: number
}

/** How long npm may take to pack a folder, in milliseconds: it reads some ten files. */
const packTimeoutMs = 60_000

/** Packs each published package. The same sources give the same bytes. */
export async function packPackages(options: PackOptions): Promise<Packed[]> {
  const into = resolve(options.into)
  await mkdir(into, { recursive: true })
  const workspace = await readWorkspace(options.root)
  const packed: Packed[] = []
  for (const folder of publishedFolders) {
    packed.push(await packFolder(folder, workspace, { ...options, into }))
  }
  return packed
}

async function packFolder(
  folder: string,
  workspace: Workspace,
  { root, into, repository: url }: PackOptions,
): Promise<Packed> {
  const from = join(root, folder)
  const repository =
    url === undefined ? {} : { repository: { type: 'git', url, directory: folder } }
  const own = { ...(await readManifest(join(from, 'package.json'))), ...repository }
  const { versions, manifests } = workspace
  const libraries = librariesOf(own, manifests)
  const stage = await mkdtemp(join(tmpdir(), 'svc-pack-'))
  try {
    const { dependencies, peerDependencies } = toPublished(own, versions)
    const external = Object.keys({ ...libraries, ...dependencies, ...peerDependencies })
    const imported = new Set<string>()
    for (const entry of entriesOf(own)) {
      for (const name of await bundle(entry, { from, to: stage, external })) imported.add(name)
    }
    const manifest = toPublished(withLibraries(own, libraries, imported), versions)
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    await cp(join(from, 'README.md'), join(stage, 'README.md'))
    await cp(join(root, 'LICENSE'), join(stage, 'LICENSE'))
    const args = ['pack', stage, '--pack-destination', into, '--ignore-scripts', '--json']
    const { stdout } = await promisify(execFile)('npm', args, { timeout: packTimeoutMs })
    const [result] = JSON.parse(stdout) as { filename: string; size: number }[]
    if (result === undefined) throw new Error(`npm packed nothing of ${folder}`)
    const { name, version } = manifest
    const tarball = join(into, result.filename)
    return { name, version, folder, manifest, tarball, bytes: result.size }
  } catch (cause) {
    throw new Error(`${folder} cannot be packed: ${describe(cause)}`, { cause })
  } finally {
    await rm(stage, { recursive: true })
  }
}

/** What bundled packages import becomes a dependency of the package that they are in. */
function withLibraries(
  own: Manifest,
  libraries: Readonly<Record<string, string>>,
  imported: ReadonlySet<string>,
): Manifest {
  const used = Object.entries(libraries).filter(([name]) => imported.has(name))
  return { ...own, dependencies: { ...Object.fromEntries(used), ...own.dependencies } }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
