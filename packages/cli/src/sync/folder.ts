import { readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FileText, type NamespaceFiles, readFiles } from '@svc/documents/files'
import { CliError, exitCodes } from '../exit-codes.ts'
import { maxBytes } from '../files/inputs.ts'
import { readInput } from '../input.ts'
import type { Terminal } from '../terminal.ts'

/** Maximum files of a folder, and of all of their text: far more than a service takes. */
const maxFiles = 20_000
const maxLength = 256 * 2 ** 20

/** Maximum repetitions of a read during which the folder changed. */
const maxRepetitions = 3

/** Wait before a repetition, in milliseconds: Kubernetes moves the link of a ConfigMap, then those of its files. */
const repetitionMs = 50

const endings = /\.(?:ya?ml|json)$/i

/** A folder as it was at one moment. */
export interface SyncFolder {
  /** By key. */
  readonly namespaces: readonly NamespaceFiles[]
  /** Where it really is: links on the way there are resolved. */
  readonly path: string
}

/** A file or folder that the folder has. */
interface Entry {
  /** Where it really is: what another file takes the place of is not read. */
  readonly path: string
  /** As it is called in messages: by the name that the folder was given by. */
  readonly name: string
}

/** A file, and the namespace of the folder that it is in. */
interface Listed extends Entry {
  readonly namespaceKey: string | undefined
  /** Another one once the file was written, or another has taken its place. */
  readonly version: string
}

/**
 * Reads the YAML and JSON files below `DIR/<namespace>/`, and files that lie in the folder itself and name their namespace. Names
 * that begin with a dot are passed over. Links are followed within the folder only. A folder that changes meanwhile, as that of a
 * ConfigMap whose links are moved, is read again.
 *
 * @throws {CliError} for what cannot be read, and for the folder of a namespace without a document
 * @throws {FilesError} for what is wrong in the files
 */
export async function readFolder(
  terminal: Pick<Terminal, 'stdin'>,
  directory: string,
): Promise<SyncFolder> {
  const { path, keys, files } = await readUnchanged(terminal, directory)
  const { namespaces } = readFiles(files)
  checkDocuments(directory, keys, namespaces)
  return { path, namespaces: namespaces.toSorted(byKey) }
}

/** The texts of a folder, all of one moment. */
interface Texts {
  readonly path: string
  /** Namespaces that have a folder. */
  readonly keys: readonly string[]
  readonly files: readonly FileText[]
}

async function readUnchanged(terminal: Pick<Terminal, 'stdin'>, directory: string): Promise<Texts> {
  for (let repetition = 0; ; repetition++) {
    const isLast = repetition === maxRepetitions
    try {
      const texts = await readOnce(terminal, directory)
      if (texts !== undefined) return texts
    } catch (error) {
      if (isLast || !isMissing(error)) throw error
    }
    if (isLast) {
      const hint = 'Nothing was sent. Repeat it when the files stay where they are.'
      refuse(`${directory} changes while it is read, ${repetition + 1} times now`, hint)
    }
    await sleep(repetitionMs)
  }
}

/** @returns nothing when the files were other ones afterwards */
async function readOnce(
  terminal: Pick<Terminal, 'stdin'>,
  directory: string,
): Promise<Texts | undefined> {
  const path = await orRefuse(directory, realpath(directory))
  const walk = new Walk(path, directory)
  const keys = await walk.run()
  const files: FileText[] = []
  let length = 0
  for (const { path, name, namespaceKey } of walk.files) {
    const text = await readInput(terminal, path, maxBytes)
    if (text === '') {
      refuse(`${name} is empty`, 'Nothing was sent. If it is not just being written, delete it.')
    }
    length += text.length
    if (length > maxLength) refuse(`${directory} has more than ${maxLength / 2 ** 20} MiB of files`)
    files.push({ name, text, ...(namespaceKey !== undefined && { namespaceKey, isBound: true }) })
  }
  const after = new Walk(path, directory)
  await after.run()
  return isSame(walk.files, after.files) ? { path, keys, files } : undefined
}

function isSame(before: readonly Listed[], after: readonly Listed[]): boolean {
  const isUnchanged = ({ path, name, version }: Listed, n: number) =>
    path === after[n]?.path && name === after[n].name && version === after[n].version
  return before.length === after.length && before.every(isUnchanged)
}

/** Whether a file or folder was gone when it was read. */
function isMissing(error: unknown): boolean {
  const cause: unknown = error instanceof CliError ? error.cause : undefined
  return Reflect.get(Object(cause), 'code') === 'ENOENT'
}

function byKey(a: NamespaceFiles, b: NamespaceFiles): number {
  return a.namespaceKey < b.namespaceKey ? -1 : 1
}

/** Finds the files of a folder. */
class Walk {
  readonly files: Listed[] = []
  readonly #root: string
  readonly #name: string
  /** Folders on the way, as they are without links: to find circles. */
  readonly #seen = new Set<string>()

  constructor(root: string, name: string) {
    this.#root = root
    this.#name = name
  }

  /** @returns the namespaces that have a folder */
  async run(): Promise<readonly string[]> {
    const keys: string[] = []
    for (const name of await this.#list(this.#root)) {
      const entry = await this.#find({ path: join(this.#root, name), name: join(this.#name, name) })
      if (!entry.isFolder) this.#add({ ...entry, namespaceKey: undefined })
      else {
        if (!/^[-_,A-Za-z0-9]{1,255}$/.test(name)) {
          refuse(
            `${entry.name}: "${name}" cannot be the key of a namespace`,
            'A key has letters, digits, "-", "_" and "," only. What is no namespace has to lie elsewhere.',
          )
        }
        keys.push(name)
        await this.#walk({ ...entry, namespaceKey: name })
      }
    }
    return keys
  }

  async #walk({ path, name: folder, namespaceKey }: Omit<Listed, 'version'>): Promise<void> {
    if (this.#seen.has(path)) refuse(`${folder} is in the folder twice, by a link`)
    this.#seen.add(path)
    for (const name of await this.#list(path)) {
      const entry = await this.#find({ path: join(path, name), name: join(folder, name) })
      if (entry.isFolder) await this.#walk({ ...entry, namespaceKey })
      else this.#add({ ...entry, namespaceKey })
    }
  }

  #add(file: Listed): void {
    if (!endings.test(file.name)) return
    this.files.push(file)
    if (this.files.length > maxFiles) refuse(`${this.#name} has more than ${maxFiles} files`)
  }

  async #list(path: string): Promise<readonly string[]> {
    const names = await orRefuse(path, readdir(path))
    return names.filter((name) => !name.startsWith('.')).sort()
  }

  /** Follows links: a pull request must not bring in a file of the machine that reads it. */
  async #find({
    path,
    name,
  }: Entry): Promise<Omit<Listed, 'namespaceKey'> & { isFolder: boolean }> {
    const real = await orRefuse(name, realpath(path))
    if (real !== this.#root && !real.startsWith(`${this.#root}${sep}`)) {
      refuse(`${name} is a link that leads out of ${this.#name}`)
    }
    const found = await orRefuse(name, stat(real, { bigint: true }))
    // Programs may set the time of modification, but not that of change.
    const version = `${found.ino} ${found.size} ${found.ctimeNs}`
    return { path: real, name, version, isFolder: found.isDirectory() }
  }
}

function checkDocuments(
  directory: string,
  keys: readonly string[],
  namespaces: readonly NamespaceFiles[],
): void {
  const found = new Set(namespaces.map(({ namespaceKey }) => namespaceKey))
  const empty = keys.find((key) => !found.has(key))
  if (empty !== undefined) {
    refuse(
      `${join(directory, empty)} has no document in it`,
      `For a namespace without flags and segments, write \`namespace: ${empty}\` into a file. For one that is not synced, delete the folder.`,
    )
  }
  if (namespaces.length === 0) {
    refuse(`${directory} has no document in it`, 'Files end in .yml, .yaml or .json.')
  }
}

async function orRefuse<T>(name: string, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const message = isMissing ? 'there is no such file or folder' : (error as Error).message
    return refuse(`${name}: ${message}`, undefined, error)
  }
}

function refuse(message: string, hint = 'Nothing was sent.', cause?: unknown): never {
  throw new CliError(exitCodes.usage, message, hint, { cause })
}
