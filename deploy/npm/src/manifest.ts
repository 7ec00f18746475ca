/** The targets of an export or program, by condition: `{ types: './dist/index.d.ts', default: './dist/index.js' }`. */
export type Targets = string | { readonly [condition: string]: Targets }

type Ranges = Readonly<Record<string, string>>

interface PublishConfig {
  readonly exports?: Readonly<Record<string, Targets>>
  readonly [option: string]: unknown
}

/** What a `package.json` says, as far as it is published. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly keywords?: readonly string[]
  readonly repository?: { readonly type: string; readonly url: string; readonly directory: string }
  readonly engines?: Ranges
  readonly type: string
  readonly sideEffects?: boolean
  readonly bin?: Ranges
  readonly exports?: Readonly<Record<string, Targets>>
  readonly files: readonly string[]
  readonly dependencies?: Ranges
  readonly peerDependencies?: Ranges
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
  readonly publishConfig?: PublishConfig
}

/** What the workspace knows of versions. */
export interface Versions {
  /** By library, as in `pnpm-workspace.yaml`. */
  readonly catalog: Ranges
  /** By package of the workspace. */
  readonly workspace: Ranges
}

/** The members that are published, in this order. Scripts and development dependencies are the workspace's own. */
const published = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'repository',
  'engines',
  'type',
  'sideEffects',
  'bin',
  'exports',
  'files',
  'dependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'publishConfig',
] as const satisfies readonly (keyof Manifest)[]

/**
 * The manifest of the tarball: with versions in place of `catalog:` and `workspace:`. A dependency on
 * `workspace:*` is bundled, so it is none any more; one on `workspace:^` stays. As in pnpm,
 * `publishConfig.exports` stands in place of `exports`.
 *
 * @throws {Error} for a dependency whose version the workspace does not say
 */
export function toPublished(manifest: Manifest, versions: Versions): Manifest {
  const { dependencies = {}, peerDependencies = {}, publishConfig = {} } = manifest
  const { exports = manifest.exports, ...config } = publishConfig
  const kept = Object.entries(dependencies).filter(([, range]) => range !== 'workspace:*')
  const resolved: Manifest = {
    ...manifest,
    ...(exports && { exports }),
    dependencies: resolveRanges(Object.fromEntries(kept), versions),
    peerDependencies: resolveRanges(peerDependencies, versions),
    publishConfig: config,
  }
  const members = published.filter((name) => !isEmpty(resolved[name]))
  return Object.fromEntries(members.map((name) => [name, resolved[name]])) as unknown as Manifest
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : value === undefined
}

function resolveRanges(ranges: Ranges, versions: Versions): Ranges {
  return Object.fromEntries(
    Object.entries(ranges).map(([name, range]) => [name, resolveRange(name, range, versions)]),
  )
}

/** `workspace:^` is `^1.0.0`, as pnpm has it. */
function resolveRange(name: string, range: string, { catalog, workspace }: Versions): string {
  const [protocol, rest = ''] = range.split(':')
  if (protocol === range) return range
  const version = protocol === 'catalog' ? catalog[name] : workspace[name]
  if (version === undefined || !['catalog', 'workspace'].includes(protocol ?? '')) {
    throw new Error(`no version is known of ${name} (${range})`)
  }
  return `${rest === '^' || rest === '~' ? rest : ''}${version}`
}

/** A file that applications import or run, and that is bundled into one file of the same name. */
export interface Entry {
  /** From the folder of the package: `./dist/index.js`. */
  readonly file: string
  readonly kind: 'script' | 'types'
  /** Whether browsers load it, so that nothing of Node.js may be in it. */
  readonly isForBrowsers: boolean
}

/**
 * The files that a package offers when it is published. An export without a variant for browsers is for all.
 *
 * @throws {Error} for a target that is neither a script nor types
 */
export function entriesOf({ exports, publishConfig, bin = {} }: Manifest): Entry[] {
  const { './package.json': _, ...modules } = publishConfig?.exports ?? exports ?? {}
  const entries = [
    ...Object.values(modules).flatMap((targets) => leavesOf(targets, !hasBrowserVariant(targets))),
    ...Object.values(bin).map((file) => toEntry(file, false)),
  ]
  return [...new Map(entries.map((entry) => [entry.file, entry])).values()]
}

function hasBrowserVariant(targets: Targets): boolean {
  return typeof targets !== 'string' && targets.browser !== undefined
}

function leavesOf(targets: Targets, isForBrowsers: boolean): Entry[] {
  if (typeof targets === 'string') return [toEntry(targets, isForBrowsers)]
  return Object.entries(targets).flatMap(([condition, inner]) =>
    leavesOf(inner, isForBrowsers || condition === 'browser'),
  )
}

function toEntry(file: string, isForBrowsers: boolean): Entry {
  if (file.endsWith('.d.ts')) return { file, kind: 'types', isForBrowsers }
  if (file.endsWith('.js')) return { file, kind: 'script', isForBrowsers }
  throw new Error(`${file} is neither a script (.js) nor types (.d.ts)`)
}
