import {
  type Actor,
  anonymousActor,
  type CountedType,
  type Details,
  type NewEvent,
} from './event.ts'

/** Events that are alike: they differ in nothing but the time and, of a known actor, the address. */
export interface CountedEvent {
  readonly type: CountedType
  /** Left out: not known. Then those of each address are counted apart. */
  readonly actor?: Actor | undefined
  /** The network where the actor is not known; empty: not known either. */
  readonly address: string
  readonly details: Details
}

/**
 * Maximum events of a minute, by type, so that a flood of one leaves room for the others. Besides, one for
 * all others of the type.
 */
const maxEvents: Readonly<Record<CountedType, number>> = {
  'request.refused': 597,
  'login.refused': 200,
  'workload.exchanged': 200,
}

interface Count {
  event: CountedEvent
  count: number
}

/** Counts events until they are taken. */
export class EventCounts {
  #counts: Record<CountedType, Map<string, Count>> = noCounts()
  #others = new Map<CountedType, number>()

  note(event: CountedEvent, times = 1): void {
    const { type, actor, address, details } = event
    const counts = this.#counts[type]
    const who = actor === undefined ? ['', address] : [actor.id, '']
    const key = JSON.stringify([...who, details])
    const known = counts.get(key)
    if (known !== undefined) {
      known.count += times
      known.event = event
    } else if (counts.size < maxEvents[type]) counts.set(key, { event, count: times })
    else this.noteOther(type, times)
  }

  /** Those that are not told apart. */
  noteOther(type: CountedType, times: number): void {
    this.#others.set(type, (this.#others.get(type) ?? 0) + times)
  }

  /** Takes what was counted: `log` records it. When it cannot, it is taken the next time. */
  async take(log: (events: readonly NewEvent[]) => Promise<void>): Promise<void> {
    const counts = Object.values(this.#counts).flatMap((ofType) => [...ofType.values()])
    const others = [...this.#others]
    if (counts.length + others.length === 0) return
    this.#counts = noCounts()
    this.#others = new Map()
    const events = [
      ...counts.map(({ event, count }) => toEvent(event, count)),
      ...others.map(([type, count]) => toEvent({ type, address: '', details: other }, count)),
    ]
    try {
      await log(events)
    } catch (error) {
      for (const { event, count } of counts) this.note(event, count)
      for (const [type, count] of others) this.noteOther(type, count)
      throw error
    }
  }
}

const other = { reason: 'other' }

const noCounts = () => ({
  'request.refused': new Map<string, Count>(),
  'login.refused': new Map<string, Count>(),
  'workload.exchanged': new Map<string, Count>(),
})

function toEvent({ type, actor = anonymousActor, address, details }: CountedEvent, count: number) {
  return { type, actor, subject: '', address, details: { ...details, count } }
}
