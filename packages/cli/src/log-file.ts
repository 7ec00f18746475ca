import { createReadStream } from 'node:fs'
import { ChainCheck, type ChainKeys, chainStart, ItemsHash, textOfChange } from '@svc/audit'
import { CliError, exitCodes } from './exit-codes.ts'

/** Maximum size of a line, in bytes: a change has 64 MiB of documents at most, each twice escaped. */
const maxLineBytes = 256 * 2 ** 20

/** What a file of changes says about one namespace. */
export interface CheckedLog {
  readonly namespaceKey: string
  /** Whether all changes are as they were written, none between them is missing, and a key proves it. */
  readonly intact: boolean
  readonly checked: number
  readonly fromRevision: number
  readonly toRevision: number
  /** The hash that the first of them follows: zeros at the start of a log. */
  readonly begin: string
  /** The hash of the last of them. */
  readonly head: string
  readonly brokenAt?: number
  /** Where in the file the break is. */
  readonly line?: number
  readonly fault: string
  readonly unproven: readonly {
    readonly keyId: string
    readonly fromRevision: number
    readonly toRevision: number
    readonly count: number
  }[]
}

/**
 * Verifies a file that `svc changes --json --documents` wrote: each change by its hash, and by the change
 * before it. Nothing is asked of a service.
 *
 * @throws {CliError} for a file that cannot be read, and for a line that is no such change
 */
export async function checkLogFile(file: string, keys: ChainKeys): Promise<readonly CheckedLog[]> {
  const logs = new Map<string, FileLog>()
  let number = 0
  for await (const line of readLines(file)) {
    number += 1
    if (line.trim() === '') continue
    const change = readLine(line, `${file}:${number}`)
    const known = logs.get(change.namespaceKey)
    const log = known ?? new FileLog(change, keys)
    if (known === undefined) logs.set(change.namespaceKey, log)
    log.add(change, number)
  }
  return [...logs.values()].map((log) => log.result())
}

/** The changes of one namespace in a file. */
class FileLog {
  readonly #check: ChainCheck
  readonly #first: LoggedChange
  #line: number | undefined
  #last: LoggedChange | undefined

  constructor(first: LoggedChange, keys: ChainKeys) {
    this.#first = first
    const hash = Buffer.from(first.previousHash, 'hex')
    this.#check = new ChainCheck({
      keys,
      start: { position: 0, keyId: '', hash },
      noun: 'revision',
    })
  }

  add(change: LoggedChange, line: number): void {
    const last = this.#last
    // A reader that was stopped between printing and remembering prints a change again.
    if (last?.revision === change.revision && last.hash === change.hash) return
    if (this.#check.brokenAt !== undefined) return
    const { revision } = change
    if (last !== undefined && revision <= last.revision) {
      this.#check.break(revision, `revision ${revision} comes after revision ${last.revision}`)
    } else {
      this.#check.add(toRow(change))
    }
    if (this.#check.brokenAt !== undefined) this.#line = line
    this.#last = change
  }

  result(): CheckedLog {
    const { checked, fault, brokenAt, last, unproven } = this.#check
    return {
      namespaceKey: this.#first.namespaceKey,
      intact: fault === undefined,
      checked,
      fromRevision: checked === 0 ? 0 : this.#first.revision,
      toRevision: last.position,
      begin: this.#first.previousHash,
      head: last.hash.toString('hex'),
      ...(brokenAt !== undefined && { brokenAt }),
      ...(this.#line !== undefined && { line: this.#line }),
      fault: fault ?? '',
      unproven: unproven.map(({ keyId, first, last, count }) => ({
        ...{ keyId, fromRevision: first, toRevision: last, count },
      })),
    }
  }
}

/** A change as a line of the file has it. */
interface LoggedChange {
  readonly namespaceKey: string
  readonly revision: number
  readonly at: string
  readonly actorId: string
  readonly source: string
  readonly comment: string
  readonly requestId: string
  readonly details: object | undefined
  readonly items: readonly LoggedItem[]
  readonly previousHash: string
  readonly hash: string
  readonly keyId: string
}

interface LoggedItem {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
  readonly before: string | undefined
  readonly after: string | undefined
}

function toRow(change: LoggedChange) {
  const { namespaceKey, revision, source, comment, requestId, details, keyId } = change
  const itemsHash = new ItemsHash()
  for (const item of change.items) itemsHash.add(item)
  const previousHash = Buffer.from(change.previousHash, 'hex')
  const text = textOfChange(
    {
      ...{ namespaceKey, revision, source, comment, requestId },
      at: toMicroseconds(change.at),
      actor: change.actorId,
      details: details === undefined ? null : JSON.stringify(details),
      itemsHash: itemsHash.digest(),
    },
    previousHash,
    keyId,
  )
  return { position: revision, previousHash, keyId, hash: Buffer.from(change.hash, 'hex'), text }
}

/** @param instant as {@link instantPattern} has it */
function toMicroseconds(instant: string): number {
  const [, seconds = '', fraction = ''] = instantPattern.exec(instant) ?? []
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

const instantPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/
const hashPattern = new RegExp(`^[0-9a-f]{${2 * chainStart.length}}$`)

const kinds: Readonly<Record<string, LoggedItem['kind']>> = {
  NAMESPACE_KIND: 'namespace',
  FLAG_KIND: 'flag',
  SEGMENT_KIND: 'segment',
}

/** @param place of the line, for messages */
function readLine(line: string, place: string): LoggedChange {
  const refuse = (rule: string): never => {
    throw new CliError(
      exitCodes.usage,
      `${place}: ${rule}`,
      'Such a file is written by `svc changes --follow --after 0 --json --documents`.',
    )
  }
  const object = (value: unknown, name: string): object =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? value
      : refuse(`${name} must be an object`)
  const text = (of: object, name: string, pattern = /(?:)/): string => {
    const value: unknown = Reflect.get(of, name)
    return typeof value === 'string' && pattern.test(value)
      ? value
      : refuse(`"${name}" is missing, or not as changes have it`)
  }
  const whole = (of: object, name: string): number => {
    const value: unknown = Reflect.get(of, name)
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : refuse(`"${name}" must be a whole number`)
  }
  const document = (of: object, name: string): string | undefined =>
    Reflect.get(of, name) === undefined ? undefined : text(of, name)
  const item = (value: unknown): LoggedItem => {
    const of = object(value, 'an item')
    const [before, after] = [document(of, 'before'), document(of, 'after')]
    if (before === undefined && after === undefined) refuse('was written without --documents')
    const kind = kinds[text(of, 'kind')] ?? refuse('"kind" is unknown')
    return { kind, key: text(of, 'key'), before, after }
  }

  const change = object(parse(line) ?? refuse('is no JSON'), 'a line')
  const listed: unknown = Reflect.get(change, 'items')
  const items = Array.isArray(listed) ? listed.map(item) : refuse('"items" must be a list')
  if (items.length !== whole(change, 'itemCount')) refuse('has not all of its items')
  const details: unknown = Reflect.get(change, 'details')
  return {
    namespaceKey: text(change, 'namespaceKey'),
    revision: whole(change, 'revision'),
    at: text(change, 'at', instantPattern),
    actorId: text(object(Reflect.get(change, 'actor'), '"actor"'), 'id'),
    source: text(change, 'source'),
    comment: text(change, 'comment'),
    requestId: text(change, 'requestId'),
    details: details === undefined ? undefined : object(details, '"details"'),
    items,
    previousHash: text(change, 'previousHash', hashPattern),
    hash: text(change, 'hash', hashPattern),
    keyId: text(change, 'keyId'),
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The lines of a file, one in memory at a time. */
async function* readLines(file: string): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let bytes = 0
  const take = () => {
    const line = Buffer.concat(parts).toString()
    parts = []
    bytes = 0
    return line
  }
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let from = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        parts.push(chunk.subarray(from, end))
        yield take()
        from = end + 1
      }
      parts.push(chunk.subarray(from))
      bytes += chunk.length - from
      if (bytes > maxLineBytes) {
        throw new CliError(exitCodes.usage, `${file} has a line of more than ${maxLineBytes} bytes`)
      }
    }
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(error as Error).message}`)
  }
  if (bytes > 0) yield take()
}
