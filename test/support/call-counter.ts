import type { Socket } from 'node:net'
import { waitFor } from '@svc/runtime/testing'
import type { Test } from './listen.ts'
import { type Place, startRelay } from './relay.ts'

/** A relay in front of a gRPC server, which counts the calls that pass. */
export interface CallCounter {
  /** Where it listens. */
  readonly port: number
  readonly calls: number
  /**
   * Waits until no connection is open, as after the end of the server.
   *
   * @returns the calls since the last time that had no answer when their connection ended, without streams
   */
  countCut(): Promise<number>
}

/** What a client says first (RFC 9113, section 3.4). */
const prefaceBytes = 24
const frameHeadBytes = 9
/** Types of frames. */
const data = 0
const headers = 1
const reset = 3
/** The flag of the last frame of a call. */
const endOfStream = 1

/** A call that has had a part of an answer for so long is a stream. */
const streamMs = 1000

interface Call {
  readonly at: number
  hasBegun: boolean
}

/** @param near where to listen; port 0 takes a free one */
export async function startCallCounter(t: Test, near: Place, far: Place): Promise<CallCounter> {
  let calls = 0
  let open = 0
  let cut = 0
  const count = (answers: Socket, requests: Socket) => {
    const unanswered = new Map<number, Call>()
    open += 1
    const isCut = ({ at, hasBegun }: Call) => !hasBegun || performance.now() - at < streamMs
    requests.on('close', () => {
      open -= 1
      cut += [...unanswered.values()].filter(isCut).length
    })
    const onRequest = readFrames(prefaceBytes, ({ type, stream }) => {
      if (type === headers) {
        calls += 1
        unanswered.set(stream, { at: performance.now(), hasBegun: false })
      }
      if (type === reset) unanswered.delete(stream)
    })
    const onAnswer = readFrames(0, ({ type, flags, stream }) => {
      const call = unanswered.get(stream)
      if (call === undefined || (type !== data && type !== headers && type !== reset)) return
      call.hasBegun = true
      const isLast = type === reset || (flags & endOfStream) > 0
      if (isLast) unanswered.delete(stream)
    })
    requests.on('data', onRequest)
    answers.on('data', onAnswer)
    return answers
  }
  const port = await startRelay(t, far, count, near)
  return {
    port,
    get calls() {
      return calls
    },
    async countCut() {
      await waitFor(() => open === 0)
      const count = cut
      cut = 0
      return count
    },
  }
}

interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
}

/** @param preface how many bytes come before the first frame */
function readFrames(preface: number, onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let toSkip = preface
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
      const stream = head.readUInt32BE(5) % 2 ** 31
      onFrame({ type: head.readUInt8(3), flags: head.readUInt8(4), stream })
      toSkip = head.readUIntBE(0, 3)
      head = Buffer.of()
    }
  }
}
