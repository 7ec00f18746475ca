/** Longest slice of a long task, in milliseconds: the application's own work waits no longer. */
const sliceMs = 5

/** Lets a long task run in slices, with turns of the event loop between them. */
export class Slices {
  #endsAt = performance.now() + sliceMs

  /** Whether the slice is used up: the task has to wait for the `next` one. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Resolves in another turn of the event loop. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => void setTimeout(resolve))
    this.#endsAt = performance.now() + sliceMs
  }
}
