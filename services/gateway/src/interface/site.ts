import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '@svc/runtime'

/** A file of the interface, whose name changes with what is in it. */
export interface Asset {
  readonly contentType: string
  readonly bytes: Buffer
  /** The same, compressed by the build, where that makes it smaller. */
  readonly br: Buffer | undefined
  readonly gzip: Buffer | undefined
}

/** The interface as it was built: one page, which every path of it gets, and what the page loads. */
export interface Site {
  readonly page: string
  /** By their names below `assets/`. */
  readonly assets: ReadonlyMap<string, Asset>
}

/** Where the build of `packages/ui` is, also in an image. */
export const siteDirectory = fileURLToPath(
  new URL('dist/site', import.meta.resolve('@svc/ui/package.json')),
)

/**
 * The interface that a gateway serves. Without it, whether by the settings or because it is not built, the API
 * is all there.
 */
export function openSite(
  { isEnabled, directory = siteDirectory }: { isEnabled: boolean; directory?: string },
  log: Pick<Logger, 'warn'>,
): Site | undefined {
  if (!isEnabled) return undefined
  const site = readSite(directory)
  if (site === undefined) {
    log.warn({ directory }, 'serving no web interface: it is not built, which `pnpm build` does')
  }
  return site
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

const compressed = /\.(?:br|gz)$/

/**
 * Reads all of it into memory: a few MB, which are then sent without a disk.
 *
 * @returns nothing when the interface is not built
 */
export function readSite(directory: string): Site | undefined {
  const page = readIfThere(join(directory, 'index.html'))
  if (page === undefined) return undefined
  const folder = join(directory, 'assets')
  const names = readdirSync(folder).filter((name) => !compressed.test(name))
  return {
    page: page.toString(),
    assets: new Map(names.map((name) => [name, readAsset(folder, name)])),
  }
}

function readAsset(folder: string, name: string): Asset {
  const contentType = contentTypes[extname(name)]
  if (contentType === undefined) throw new Error(`${name} of the interface is of no known type`)
  return {
    contentType,
    bytes: readFileSync(join(folder, name)),
    br: readIfThere(join(folder, `${name}.br`)),
    gzip: readIfThere(join(folder, `${name}.gz`)),
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
