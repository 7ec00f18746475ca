/** What the service has found in a part of a log. */
export interface Slice {
  readonly intact: boolean
  readonly checked: number
  readonly head: string
  readonly brokenAt?: number | undefined
  readonly fault: string
  /** Where the next part begins; 0 after the last one. */
  readonly next: number
  readonly gaps: readonly LogGap[]
  readonly unproven: readonly Unproven[]
}

interface LogGap {
  readonly from: number
  readonly to: number | undefined
}

interface Unproven {
  readonly count: number
  readonly from: number
  readonly to: number
}

/** What was found so far. */
export interface Verified extends Slice {
  /** Whether all of the log was looked at, or as far as it is intact. */
  readonly isDone: boolean
}

/** Parts that are verified in one go; then the reader is asked. A part has 10,000 entries at most. */
const maxSlices = 100
/** Gaps and the like that are kept to be shown. */
const maxListed = 50

const nothing: Verified = {
  ...{ intact: true, checked: 0, head: '', fault: '', next: 0, gaps: [], unproven: [] },
  isDone: false,
}

/**
 * Verifies a log part by part, until its end, a break, or a bound.
 *
 * @param verify verifies the part after an entry
 * @param found what an earlier call has found, to go on from there
 */
export async function verifyLog(
  verify: (after: number, signal: AbortSignal) => Promise<Slice>,
  {
    signal,
    onProgress,
    found = nothing,
  }: {
    readonly signal: AbortSignal
    readonly onProgress: (found: Verified) => void
    readonly found?: Verified | undefined
  },
): Promise<Verified> {
  let all = found
  for (let count = 0; count < maxSlices && !all.isDone; count++) {
    all = join(all, await verify(all.next, signal))
    signal.throwIfAborted()
    onProgress(all)
  }
  return all
}

function join(all: Verified, slice: Slice): Verified {
  return {
    ...slice,
    checked: all.checked + slice.checked,
    gaps: [...all.gaps, ...slice.gaps].slice(0, maxListed),
    unproven: [...all.unproven, ...slice.unproven].slice(0, maxListed),
    // A part that does not lead on would be asked for without end.
    isDone: slice.next <= all.next || !slice.intact,
  }
}
