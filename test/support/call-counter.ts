import type { Test } from './listen.ts'
import { type Place, startRelay } from './relay.ts'

/** A relay in front of a gRPC server, which counts the calls that pass. */
export interface CallCounter {
  readonly calls: number
}

/** What a client says first (RFC 9113, section 3.4). */
const prefaceBytes = 24
const frameHeadBytes = 9
const headersFrame = 1

export async function startCallCounter(t: Test, near: Place, far: Place): Promise<CallCounter> {
  const counter = { calls: 0 }
  await startRelay(
    t,
    far,
    (answers, requests) => {
      requests.on(
        'data',
        countHeaders(() => {
          counter.calls += 1
        }),
      )
      return answers
    },
    near,
  )
  return counter
}

/** Reads what a client sends: a call begins with a frame of headers. */
function countHeaders(onCall: () => void): (chunk: Buffer) => void {
  let toSkip = prefaceBytes
  let head = Buffer.of()
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      const skipped = Math.min(toSkip, chunk.length - at)
      toSkip -= skipped
      at += skipped
      if (at === chunk.length) return
      const part = chunk.subarray(at, at + frameHeadBytes - head.length)
      head = Buffer.concat([head, part])
      at += part.length
      if (head.length < frameHeadBytes) return
      if (head[3] === headersFrame) onCall()
      toSkip = head.readUIntBE(0, 3)
      head = Buffer.of()
    }
  }
}
