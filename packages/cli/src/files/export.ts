import { randomUUID } from 'node:crypto'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  fileHeader,
  type NamespaceContent,
  type WriteOptions,
  writeNamespace,
} from '@svc/documents/files'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { readContent } from '../namespace-content.ts'
import { readAll } from '../pages.ts'
import { version } from '../version.ts'

export interface ExportOptions {
  readonly output: string | undefined
  readonly namespaces: readonly string[]
  readonly allNamespaces: boolean
  readonly sortByKey: boolean
}

/** How many of each are on a page of a list. */
const pageSize = 500

/** Writes namespaces to a file, or to stdout. */
export async function exportFiles(context: Context, options: ExportOptions): Promise<void> {
  const { output } = context
  const { output: file } = options
  const format = toFormat(file, output.isJson)
  const header = fileHeader(version, exportTime(context))
  const keys = await listNamespaces(context, options)
  const pieces = exportPieces(context, keys, { ...options, format })
  if (file === undefined) {
    for await (const piece of gathered(pieces)) output.raw(piece)
    return
  }
  const bytes = await writeOutput(file, header, pieces)
  output.done({ file, namespaces: keys, bytes }, () => `exported ${namesOf(keys)} to ${file}`)
}

function namesOf(keys: readonly string[]): string {
  return keys.length > 3 ? `${keys.length} namespaces` : keys.join(', ')
}

function toFormat(file: string | undefined, isJson: boolean): WriteOptions['format'] {
  if (file === undefined) return isJson ? 'json' : 'yaml'
  const [, ending = ''] = /\.([^./\\]*)$/.exec(file) ?? []
  if (/^ya?ml$/i.test(ending)) return 'yaml'
  if (/^json$/i.test(ending)) return 'json'
  throw new CliError(
    exitCodes.usage,
    `what is to be in ${file} is not known`,
    'Its name must end in .yml, .yaml or .json.',
  )
}

/** `SOURCE_DATE_EPOCH` fixes it: seconds since 1970, see reproducible-builds.org. */
function exportTime({ terminal: { env } }: Context): Date {
  const { SOURCE_DATE_EPOCH: epoch } = env
  if (epoch === undefined || epoch === '') return new Date()
  const seconds = /^\d{1,12}$/.test(epoch) ? Number(epoch) : Number.NaN
  const at = new Date(seconds * 1000)
  // Four digits of a year, as in all times here.
  if (at.getTime() < 253_402_300_800_000) return at
  throw new CliError(
    exitCodes.usage,
    `SOURCE_DATE_EPOCH is "${epoch}": it takes seconds since 1970`,
  )
}

async function listNamespaces(
  context: Context,
  { namespaces, allNamespaces, sortByKey }: ExportOptions,
): Promise<readonly string[]> {
  if (namespaces.length > 0 && allNamespaces) {
    throw new CliError(exitCodes.usage, '--namespaces and --all-namespaces exclude each other')
  }
  const { api, signal, namespaceKey } = context
  if (!allNamespaces) {
    const keys = namespaces.length === 0 ? [namespaceKey] : [...new Set(namespaces)]
    return sortByKey ? keys.toSorted() : keys
  }
  const all = await readAll(async (pageToken) => {
    const page = await api.namespaces.list({ limit: pageSize, pageToken }, { signal })
    return { rows: page.namespaces, next: page.nextPageToken }
  })
  const keys = all.map(({ key }) => key)
  return sortByKey ? keys.toSorted() : keys
}

async function* exportPieces(
  context: Context,
  keys: readonly string[],
  { format, sortByKey }: Pick<WriteOptions, 'format'> & { readonly sortByKey: boolean },
): AsyncGenerator<string, void> {
  for (const [place, namespaceKey] of keys.entries()) {
    // All of it is of one revision.
    const content = await readContent(context, namespaceKey)
    const ordered = sortByKey ? content : await inOrderOfLists(context, content)
    yield* writeNamespace(ordered, { format, sortByKey, isFirst: place === 0 })
  }
}

/** Documents come by key, files have the order of lists, which importing them keeps. */
async function inOrderOfLists(
  { api, signal }: Context,
  content: NamespaceContent,
): Promise<NamespaceContent> {
  const { namespaceKey } = content
  const [flagKeys, segmentKeys] = await Promise.all([
    readAll(async (pageToken) => {
      const page = await api.flags.list({ namespaceKey, limit: pageSize, pageToken }, { signal })
      return { rows: page.flags.map(({ key }) => key), next: page.nextPageToken }
    }),
    readAll(async (pageToken) => {
      const page = await api.segments.list({ namespaceKey, limit: pageSize, pageToken }, { signal })
      return { rows: page.segments.map(({ key }) => key), next: page.nextPageToken }
    }),
  ])
  return {
    ...content,
    flags: inOrder(content.flags, flagKeys),
    segments: inOrder(content.segments, segmentKeys),
  }
}

/** What was deleted and created since it was read has no place any more: it comes last, by key. */
function inOrder<D extends { readonly key: string }>(
  documents: readonly D[],
  keys: readonly string[],
): readonly D[] {
  const places = new Map(keys.map((key, place) => [key, place]))
  const placeOf = ({ key }: D) => places.get(key) ?? keys.length
  return documents.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** To a file beside it that is renamed, so that it is whole or as it was. @returns its bytes */
async function writeOutput(
  file: string,
  header: string,
  pieces: AsyncIterable<string>,
): Promise<number> {
  // A link stays one.
  const target = await realpath(file).catch(() => file)
  const present = await stat(target).catch(() => undefined)
  const isSpecial = present !== undefined && !present.isFile()
  // Containers that have the folder in common may have the same process id.
  const written = isSpecial ? target : `${target}.${randomUUID()}.tmp`
  try {
    const handle = await open(written, isSpecial ? 'w' : 'wx', present?.mode)
    const bytes = await writePieces(handle, header, pieces, isSpecial)
    if (!isSpecial) await rename(written, target)
    return bytes
  } catch (error) {
    if (!isSpecial) await rm(written, { force: true })
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    const folder = dirname(file)
    if (code === 'ENOENT') {
      const hint = `Make it first: mkdir -p ${folder}`
      throw new CliError(exitCodes.usage, `${file}: there is no folder ${folder}`, hint)
    }
    throw new CliError(exitCodes.failed, `${file} cannot be written: ${(error as Error).message}`)
  }
}

async function writePieces(
  handle: FileHandle,
  header: string,
  pieces: AsyncIterable<string>,
  isSpecial: boolean,
): Promise<number> {
  let bytes = 0
  // `write` may write a part alone, and say no more than how much.
  const put = async (text: string) => {
    await handle.writeFile(text)
    bytes += Buffer.byteLength(text)
  }
  try {
    await put(header)
    for await (const piece of gathered(pieces)) await put(piece)
    // Renamed before it is on the disk, it could be empty after a power failure.
    if (!isSpecial) await handle.sync()
    return bytes
  } finally {
    await handle.close()
  }
}

/** Characters that are written at once: a flag is far smaller. */
const chunkLength = 65_536

async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
