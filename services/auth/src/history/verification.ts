import { ChainCheck, type ChainKeys } from '@svc/audit'
import { type Database, limiterPerDatabase, type Queryable, tryLock } from '@svc/database'
import type { EventVerification } from '@svc/proto/auth/v1/events'
import { type AppError, unavailable } from '@svc/runtime'
import { beginningOf, textOfEvent } from '../events/chain.ts'
import { type ChainState, findFirst, findPlace, readChain, readChained } from './events.store.ts'

/** Maximum events of a request. */
const maxEvents = 10_000

/** Events that are read at once. */
const portion = 1000

/** Time after which a slice ends early, in milliseconds. The gateway waits for 20 s. */
const sliceMs = 8000

/**
 * Verifies a slice of the events, all of it as it is at one moment.
 *
 * @param after the number up to which a slice before this one has verified
 * @param limit 0 for as many as may be
 * @throws {AppError} `unavailable` while another request verifies them
 */
export function verifyEvents(
  db: Database,
  keys: ChainKeys,
  after: number,
  limit: number,
): Promise<EventVerification> {
  return limiterOf(db).run('', () =>
    db.transaction(
      async (tx) => {
        // Other processes verify, too.
        if (!(await tryLock(tx, 'auth.verification'))) throw verifying()
        const chain = await readChain(tx)
        const check = await openCheck(tx, keys, chain, after)
        const { first, isAtEnd } = await run(tx, check, limit || maxEvents)
        if (isAtEnd) checkEnd(check, chain)
        return toVerification(check, first, isAtEnd)
      },
      { readOnly: true },
    ),
  )
}

async function openCheck(
  tx: Queryable,
  keys: ChainKeys,
  chain: ChainState,
  after: number,
): Promise<ChainCheck> {
  const noun = 'event'
  const beginning = beginningOf(chain)
  const place = await findPlace(tx, after)
  if (place !== undefined && place.position > beginning.start.position) {
    return new ChainCheck({ keys, start: place, noun })
  }
  const check = new ChainCheck({ keys, ...beginning, noun })
  const left = await findFirst(tx, beginning.start.position)
  if (left !== undefined) check.break(left, `event ${left} is from before the start of the log`)
  return check
}

/** Goes on until the end, a break, so many events, or for so long. */
async function run(tx: Queryable, check: ChainCheck, limit: number) {
  const deadline = performance.now() + sliceMs
  let first = 0
  let isAtEnd = false
  while (check.brokenAt === undefined && !isAtEnd) {
    const asked = Math.min(portion, limit - check.checked)
    if (asked === 0 || performance.now() > deadline) break
    const events = await readChained(tx, check.last.position, asked)
    isAtEnd = events.length < asked
    for (const event of events) {
      const { number: position, previousHash, keyId, hash } = event
      const text = textOfEvent(event, previousHash, keyId)
      if (!check.add({ position, previousHash, keyId, hash, text })) break
      first ||= position
    }
  }
  return { first, isAtEnd: isAtEnd && check.brokenAt === undefined }
}

/** The newest event is the head, which retention keeps. */
function checkEnd(check: ChainCheck, { headNumber, headHash, prunedNumber }: ChainState): void {
  const { position, hash } = check.last
  const isEmptied = prunedNumber !== 0 && prunedNumber === headNumber
  if (headNumber > position || isEmptied) {
    check.break(headNumber, `event ${headNumber}, the head of the log, is missing`)
  } else if (headNumber < position) {
    check.break(position, `event ${position} is later than the head of the log`)
  } else if (!headHash.equals(hash)) {
    check.break(headNumber, `event ${headNumber} is not the head of the log`)
  }
}

function toVerification(check: ChainCheck, first: number, isAtEnd: boolean): EventVerification {
  const { checked, brokenAt, fault, last, unproven } = check
  const isOver = isAtEnd || brokenAt !== undefined
  return {
    intact: fault === undefined,
    checked,
    head: last.hash.toString('hex'),
    ...(brokenAt !== undefined && { brokenAt }),
    fault: fault ?? '',
    first,
    last: checked === 0 ? 0 : last.position,
    next: isOver ? 0 : last.position,
    unproven: [...unproven],
  }
}

const limiterOf = limiterPerDatabase({ maxRunning: 1, maxWaiting: 0, refuse: verifying })

function verifying(): AppError {
  return unavailable('the events are being verified, try again')
}
