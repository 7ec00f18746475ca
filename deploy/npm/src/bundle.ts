import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import type { Entry } from './manifest.ts'

export interface BundleOptions {
  /** The folder of the package, which has been built. */
  readonly from: string
  /** The folder that becomes the tarball. */
  readonly to: string
  /** Packages that are installed beside it, so that imports of them stay. */
  readonly external: readonly string[]
}

/**
 * Writes an entry as one file, with all that it needs of the packages of this workspace in it.
 *
 * @returns the external packages that it imports
 * @throws {Error} when something is missing, or an entry for browsers needs Node.js
 */
export async function bundle(entry: Entry, options: BundleOptions): Promise<string[]> {
  const write = entry.kind === 'types' ? bundleTypes : bundleScript
  const imported = await write(entry, options)
  return options.external.filter((name) => imported.some((path) => isWithin(path, name)))
}

const isWithin = (path: string, name: string) => path === name || path.startsWith(`${name}/`)

/** Node.js 20 and the browsers of its time. */
const target = 'es2022'

/**
 * What others have made is a dependency, with its own licence and its own releases.
 *
 * @param files of a bundle
 */
function refuseLibraries(entry: string, files: readonly string[]): void {
  const [, library] =
    /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(files.find(isLibrary) ?? '') ?? []
  if (library === undefined) return
  throw new Error(`${entry} needs ${library}, which is not among the dependencies of its package`)
}

const isLibrary = (file: string) => file.includes('node_modules/')

/** Readable, for applications debug into it and minify what they ship by themselves. */
async function bundleScript(
  { file, isForBrowsers }: Entry,
  options: BundleOptions,
): Promise<string[]> {
  const { from, to, external } = options
  const { metafile } = await build({
    entryPoints: [join(from, file)],
    outfile: join(to, file),
    absWorkingDir: from,
    bundle: true,
    format: 'esm',
    target,
    platform: isForBrowsers ? 'browser' : 'node',
    external: [...external],
    charset: 'utf8',
    logLevel: 'silent',
    metafile: true,
  })
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  refuseLibraries(
    file,
    used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([name]) => name),
  )
  return Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
}

async function bundleTypes(
  { file }: Entry,
  { from, to, external }: BundleOptions,
): Promise<string[]> {
  const isExternal = (id: string) =>
    id.startsWith('node:') || external.some((name) => isWithin(id, name))
  const bundled = await rolldown({
    input: { [basename(file, '.d.ts')]: join(from, file) },
    cwd: from,
    external: isExternal,
    plugins: dts({ dtsOnly: true, generator: 'oxc', tsconfig: false, sourcemap: false }),
    logLevel: 'silent',
  })
  try {
    const { output } = await bundled.write({ dir: join(to, dirname(file)) })
    if (output.length > 1) {
      const names = output.map(({ fileName }) => fileName).join(', ')
      throw new Error(`the types of ${file} are not one file, but ${names}`)
    }
    const { moduleIds, imports, dynamicImports } = output[0]
    refuseLibraries(file, moduleIds)
    return [...imports, ...dynamicImports]
  } finally {
    await bundled.close()
  }
}
