import type { EventLoopScheduler } from '@svc/runtime'
import { decodeState, type NamespaceState } from '../../replica/namespace-state.ts'
import { encodeEvent } from '../../streams/frame.ts'
import { etagOf } from './etag.ts'
import { FlagTexts, tooLarge } from './flag-texts.ts'
import type { Form } from './form.ts'

/** A namespace in one form as of one revision. */
export interface Snapshot {
  readonly namespaceKey: string
  readonly revision: number
  readonly etag: string
  /** The JSON text. */
  readonly body: Buffer
  /** The same as an event of a stream; the body is a part of it. */
  readonly frame: Buffer
  /** Tells from which copy of the namespace it was made. */
  readonly copyId: symbol
  readonly flagKeys: readonly string[]
  /** Where in the body each flag begins and ends: a later snapshot takes over what is the same. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/**
 * How many bytes a snapshot may have: enough for 100,000 flags with several rules each. Clients have
 * to parse it at once.
 */
export const maxSnapshotBytes = 256 * 2 ** 20

/**
 * Makes a snapshot of a namespace as it is when the work begins; changes in the meantime are not in
 * it. The flags that are as in `base` are copied from there.
 *
 * @throws {AppError} `invalid_argument` when it gets too large
 */
export async function makeSnapshot(
  copy: NamespaceState,
  form: Form,
  scheduler: EventLoopScheduler,
  base?: Snapshot,
): Promise<Snapshot> {
  await scheduler.yield()
  // All of them are asked for now.
  await scheduler.runInSlices(copy.flags.compileRest())
  const { revision, flagKeys, states, segments } = copy.view()
  const keptText = base?.copyId === copy.id ? keptFlags(base, copy) : () => undefined
  const texts = new FlagTexts(segments, form, maxSnapshotBytes)

  const head = Buffer.from(`{"namespace":{"key":${JSON.stringify(copy.key)}},"flags":[`)
  const starts = new Uint32Array(flagKeys.length)
  const ends = new Uint32Array(flagKeys.length)
  const parts: Uint8Array[] = []
  let length = head.length
  for (const [i, key] of flagKeys.entries()) {
    const flag = keptText(key) ?? Buffer.from(texts.toText(decodeState(states[i] ?? '')))
    parts.push(flag)
    starts[i] = i === 0 ? length : length + 1
    length = ends[i] = (starts[i] ?? 0) + flag.length
    if (length > maxSnapshotBytes) throw tooLarge()
    if (scheduler.shouldYield) await scheduler.yield()
  }

  const { frame, body } = allocate(revision, length + tail.length)
  head.copy(body)
  for (const [i, part] of parts.entries()) {
    if (i > 0) body[(starts[i] ?? 0) - 1] = comma
    body.set(part, starts[i])
    if (scheduler.shouldYield) await scheduler.yield()
  }
  tail.copy(body, length)
  const etag = etagOf(copy.key, revision, form)
  const { key: namespaceKey, id: copyId } = copy
  return { namespaceKey, revision, etag, body, frame, copyId, flagKeys, starts, ends }
}

const tail = Buffer.from(']}')
const comma = 0x2c

/** What a stream says when there is no namespace; it has no revision then, or that of its deletion. */
export function emptySnapshot(namespaceKey: string, revision = 0) {
  const text = `{"namespace":{"key":${JSON.stringify(namespaceKey)}},"flags":[]}`
  const { frame, body } = allocate(revision, text.length)
  body.write(text)
  return { frame, body }
}

/** Room for a body within its event. */
function allocate(revision: number, length: number): { frame: Buffer; body: Buffer } {
  const around = encodeEvent({ id: String(revision), event: 'snapshot', data: '' })
  const ending = around.subarray(-2)
  const start = around.length - ending.length
  const frame = Buffer.allocUnsafeSlow(around.length + length)
  around.copy(frame)
  ending.copy(frame, start + length)
  return { frame, body: frame.subarray(start, start + length) }
}

/** Finds the flags that are as they were; asked for them in list order. */
function keptFlags(base: Snapshot, copy: NamespaceState): (key: string) => Buffer | undefined {
  const changed = copy.changedSince(base.revision)
  if (changed === undefined) return () => undefined
  let place = 0
  return (key) => {
    if (changed.has(key)) return undefined
    while (place < base.flagKeys.length && base.flagKeys[place] !== key) place++
    if (place === base.flagKeys.length) return undefined
    return base.body.subarray(base.starts[place], base.ends[place++])
  }
}
