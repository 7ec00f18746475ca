import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isKey } from '@svc/contract'
import { FilesError, type FileText, type ReadFiles, readFiles } from '@svc/documents/files'
import { SettingsError } from '@svc/runtime'

/** Maximum size of all files, in bytes, as of a draft: all of it is in memory. */
const maxBytes = 64 * 2 ** 20

/** Files with other endings are none of ours. */
const endings = /\.(ya?ml|json)$/i

/**
 * Reads what `seed.path` names: a file, or all files of a folder and of its folders, whose first part is the
 * namespace of documents that name none: `shop/flags.yml` is of `shop`.
 *
 * @param isComplete whether rules may only name segments of the same files
 * @throws {SettingsError} with a line for each problem
 */
export async function readSeed(path: string, isComplete: boolean): Promise<ReadFiles> {
  const texts: FileText[] = []
  let bytes = 0
  for (const name of await listFiles(path)) {
    const content = await orRefuse(name, readFile(name))
    bytes += content.byteLength
    if (bytes > maxBytes) throw refused(path, `is larger than ${maxBytes / 2 ** 20} MiB`)
    texts.push({ name, text: content.toString('utf8'), namespaceKey: namespaceOf(path, name) })
  }
  try {
    return readFiles(texts, { isComplete })
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    throw new SettingsError(error.message.split('\n').map((line) => `seed.path: ${line}`))
  }
}

async function listFiles(path: string): Promise<string[]> {
  if (!(await orRefuse(path, stat(path))).isDirectory()) return [path]
  const files = await listFolder(path, new Set())
  if (files.length > 0) return files
  throw refused(path, 'has no file whose name ends in .yml, .yaml or .json')
}

/**
 * In the order of their names. Links are followed, as files that are mounted are links; what begins with a
 * dot is not, as there they are twice.
 *
 * @param above the folders above, without links: one that leads back to them would have no end
 */
async function listFolder(folder: string, above: ReadonlySet<string>): Promise<string[]> {
  const real = await orRefuse(folder, realpath(folder))
  if (above.has(real)) throw refused(folder, 'leads back to a folder above it')
  const files: string[] = []
  for (const name of (await orRefuse(folder, readdir(folder))).sort()) {
    if (name.startsWith('.')) continue
    const path = join(folder, name)
    const found = await orRefuse(path, stat(path))
    if (found.isDirectory()) files.push(...(await listFolder(path, new Set([...above, real]))))
    else if (found.isFile() && endings.test(name)) files.push(path)
  }
  return files
}

/** @throws {SettingsError} for a folder whose name is no key */
function namespaceOf(path: string, name: string): string | undefined {
  const [first = '', ...rest] = relative(path, name).split(sep)
  if (rest.length === 0) return undefined
  if (isKey(first)) return first
  throw refused(
    join(path, first),
    'names a namespace, whose key has letters, digits, "-", "_" and "," only',
  )
}

async function orRefuse<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw refused(path, `cannot be read: ${(error as Error).message}`)
  }
}

function refused(path: string, wrong: string): SettingsError {
  return new SettingsError([`seed.path: ${path} ${wrong}`])
}
