import { AppError, type EventLoopScheduler } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { NamespaceState } from '../../replica/namespace-state.ts'
import type { Form } from './form.ts'
import { makeSnapshot, type Snapshot } from './snapshot.ts'

/**
 * What all snapshots together may take here. A flag of the usual kind takes a kilobyte in one: this
 * is a hundred namespaces of a thousand flags in two forms, or the largest snapshot there may be.
 */
const usualMaxBytes = 256 * 2 ** 20

/** What there is besides the body: 8 bytes of each flag's place and 8 of its key; and the rest. */
const bytesPerFlag = 16
const bytesPerSnapshot = 1000

/** Namespaces that are too large are looked at again after a change only. */
const maxRefusals = 1000

interface Refusal {
  readonly copyId: symbol
  readonly revision: number
  readonly error: AppError
}

/**
 * The latest snapshots that were asked for. Each is made once, whoever asks for it meanwhile, and kept
 * until there is a later one of its namespace or no room.
 */
export class Snapshots {
  readonly #scheduler: EventLoopScheduler
  readonly #held: LRUCache<string, Snapshot>
  readonly #refused = new LRUCache<string, Refusal>({ max: maxRefusals })
  readonly #underWay = new Map<string, Promise<Snapshot>>()

  constructor(
    scheduler: EventLoopScheduler,
    { maxBytes = usualMaxBytes }: { readonly maxBytes?: number } = {},
  ) {
    this.#scheduler = scheduler
    this.#held = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf })
  }

  /** How many bytes are held. */
  get size(): number {
    return this.#held.calculatedSize
  }

  /**
   * @returns a snapshot as of now, or a moment later
   * @throws {AppError} `invalid_argument` when it gets too large
   */
  async get(copy: NamespaceState, form: Form): Promise<Snapshot> {
    const name = `${form.name} ${copy.key}`
    const { revision } = copy
    const isWanted = (made: { readonly copyId: symbol; readonly revision: number } | undefined) =>
      made?.copyId === copy.id && made.revision >= revision

    const refusal = this.#refused.get(name)
    if (refusal !== undefined && isWanted(refusal)) throw refusal.error
    let snapshot = this.#held.get(name)
    // What is under way already may be of an earlier revision; what begins after it is not.
    while (snapshot === undefined || !isWanted(snapshot)) {
      snapshot = await (this.#underWay.get(name) ?? this.#make(name, copy, form))
    }
    return snapshot
  }

  async #make(name: string, copy: NamespaceState, form: Form): Promise<Snapshot> {
    const { revision } = copy
    const making = makeSnapshot(copy, form, this.#scheduler, this.#held.get(name))
    this.#underWay.set(name, making)
    try {
      const snapshot = await making
      this.#held.set(name, snapshot)
      return snapshot
    } catch (error) {
      // For what it was when the work began, and not what it may have become.
      if (error instanceof AppError) this.#refused.set(name, { copyId: copy.id, revision, error })
      throw error
    } finally {
      this.#underWay.delete(name)
    }
  }
}

function sizeOf({ frame, flagKeys }: Snapshot): number {
  return frame.length + flagKeys.length * bytesPerFlag + bytesPerSnapshot
}
