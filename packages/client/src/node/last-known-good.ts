import { createHash, randomUUID } from 'node:crypto'
import { lstat, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SvcError } from '../api/error.ts'
import { reasonOf } from '../http.ts'
import { damaged, type Keepsake, type KeptFile, type KeptFlags, notOurs } from '../keeper.ts'
import { LineSplitter } from '../lines.ts'
import { type RecordsChange, RecordsReader } from '../records.ts'
import { Slices } from '../slices.ts'

/*
 * The file is JSON: the head and `Records`, an item a line, and at last the SHA-256 of all lines before.
 *
 *   {"svcFlags":1,"url":"…","namespace":"shop","writtenAt":1769860800000,"records":
 *   {"revision":43,"fromRevision":0,"segments":[
 *   …
 *   ]}
 *   ,"sha256":"…"}
 */

const version = 1

/** Characters of a piece that is read or written at once: a millisecond or so. */
const pieceLength = 128 * 1024

/** Age from which on a draft is what a killed process left, in milliseconds. */
const maxDraftAgeMs = 3_600_000

const draftEnd = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/

export interface LastKnownGoodOptions {
  readonly file: string
  readonly url: string
  readonly namespace: string
}

/** The file of last known good flags. It only ever holds the whole of a revision. */
export class LastKnownGood implements KeptFile {
  readonly #options: LastKnownGoodOptions
  /**
   * Beside the file, because only there can it be renamed; its own, because others may have the same file,
   * and the same process id in containers of their own.
   */
  readonly #draft: string
  #hasCleared = false

  constructor(options: LastKnownGoodOptions) {
    this.#options = options
    this.#draft = `${options.file}.${randomUUID()}.tmp`
  }

  get name(): string {
    return this.#options.file
  }

  async read(): Promise<KeptFlags | undefined> {
    const { file } = this.#options
    const bytes = await readFile(file).catch((error: unknown) => {
      if (Reflect.get(Object(error), 'code') === 'ENOENT') return undefined
      throw unusable(`${file} cannot be read`, error)
    })
    if (bytes === undefined) return undefined
    try {
      const [{ writtenAt }, change] = await this.#parse(bytes)
      return { change, writtenAtMs: writtenAt }
    } catch (error) {
      throw error instanceof SvcError ? error : unusable(`${file} is damaged`, error)
    }
  }

  async write(keepsake: Keepsake): Promise<number> {
    const { file, url, namespace } = this.#options
    const draft = this.#draft
    await this.#clearDrafts()
    // One that could not be removed when it failed.
    await rm(draft, { force: true })
    const handle = await open(draft, 'wx', 0o600)
    try {
      const head = { svcFlags: version, url, namespace, writtenAt: Date.now() }
      const hash = createHash('sha256')
      const slices = new Slices()
      let length = 0
      const put = async (piece: string) => {
        const bytes = Buffer.from(piece)
        hash.update(bytes)
        length += piece.length
        await handle.writeFile(bytes)
        if (slices.isOver) await slices.next()
      }
      let piece = `${JSON.stringify(head).slice(0, -1)},"records":\n`
      for (const line of textOf(keepsake)) {
        piece += line
        if (piece.length < pieceLength) continue
        await put(piece)
        piece = ''
      }
      await put(piece)
      await handle.writeFile(endOf(hash.digest('hex')))
      await handle.datasync()
      await handle.close()
      await rename(draft, file)
      return length
    } catch (error) {
      await handle.close().catch(() => {})
      await rm(draft, { force: true }).catch(() => {})
      throw error
    }
  }

  /** Once, and where it can: the write that follows says what is wrong with the folder. */
  async #clearDrafts(): Promise<void> {
    if (this.#hasCleared) return
    this.#hasCleared = true
    const { file } = this.#options
    const folder = dirname(file)
    const name = basename(file)
    const youngest = Date.now() - maxDraftAgeMs
    for (const entry of await readdir(folder).catch(() => [])) {
      if (!entry.startsWith(name) || !draftEnd.test(entry.slice(name.length))) continue
      const draft = join(folder, entry)
      const found = await lstat(draft).catch(() => undefined)
      if (found && found.mtimeMs < youngest) await rm(draft, { force: true }).catch(() => {})
    }
  }

  /** @throws {SvcError} for one of another namespace or URL; {@link RecordsError}, {@link SyntaxError} for a damaged one */
  async #parse(bytes: Uint8Array): Promise<[head: Head, change: RecordsChange]> {
    const slices = new Slices()
    const content = bytes.subarray(0, Math.max(0, bytes.length - endLength))
    const hash = createHash('sha256')
    for (const piece of piecesOf(content)) {
      hash.update(piece)
      if (slices.isOver) await slices.next()
    }
    const end = new TextDecoder().decode(bytes.subarray(content.length))
    if (end !== endOf(hash.digest('hex')))
      throw new Error('its checksum is that of another content')

    let head: Head | undefined
    let change: RecordsChange | undefined
    const reader = new RecordsReader()
    const splitter = new LineSplitter((line) => {
      if (head === undefined) head = this.#parseHead(line)
      else change = reader.push(line)
    })
    for (const piece of piecesOf(content)) {
      splitter.push(piece)
      if (slices.isOver) await slices.next()
    }
    if (head === undefined || change?.fromRevision !== 0) throw new Error('it ends too early')
    return [head, change]
  }

  #parseHead(line: string): Head {
    const head: Head = JSON.parse(`${line}0}`)
    if (head.svcFlags !== version) throw new Error('it is from another version of this package')
    const { file, url, namespace } = this.#options
    if (head.namespace !== namespace) {
      const message =
        `${file} has the flags of namespace "${head.namespace}", not "${namespace}", and is left alone: ` +
        'give each application a file of its own'
      throw new SvcError(message, { status: 0, code: notOurs })
    }
    if (head.url === url) return head
    // Such as of the service for tests. The application itself may have moved, so the file is not left alone.
    const message = `${file} has the flags of ${head.url}, not ${url}, and is not used: it is replaced when flags come`
    throw new SvcError(message, { status: 0, code: damaged })
  }
}

function unusable(what: string, cause: unknown): SvcError {
  const message = `${what} and is not used: ${reasonOf(cause)}`
  return new SvcError(message, { status: 0, code: damaged, cause })
}

interface Head {
  readonly svcFlags: number
  readonly url: string
  readonly namespace: string
  /** In milliseconds since 1970. */
  readonly writtenAt: number
}

function endOf(sha256: string): string {
  return `,"sha256":"${sha256}"}\n`
}

const endLength = endOf('0'.repeat(64)).length

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += pieceLength) {
    yield bytes.subarray(start, start + pieceLength)
  }
}

/** The text of `Records`, in lines with their line breaks. */
function* textOf({ revision, flags, segments }: Keepsake): Generator<string, void> {
  yield `{"revision":${revision},"fromRevision":0,"segments":[\n`
  yield* itemsOf(segments)
  yield '],"flags":[\n'
  yield* itemsOf(flags)
  yield ']}\n'
}

function* itemsOf(lines: readonly { readonly text: string }[]): Generator<string, void> {
  const last = lines.length - 1
  for (const [index, { text }] of lines.entries()) yield index < last ? `${text},\n` : `${text}\n`
}
