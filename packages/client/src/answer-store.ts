import { type Answers, readAnswers } from './answers.ts'
import type { Fetched } from './answers-feed.ts'
import type { FixedSubject } from './subject.ts'

const version = 1

/** What is stored of a namespace. */
interface Stored {
  readonly version: number
  /** Whose answers they are: the body of the request for them. */
  readonly subject: string
  /** Of OFREP. */
  readonly answers: string
  /** In milliseconds since 1970. */
  readonly storedAt: number
}

/** The last answers of a namespace, in the storage of the browser. */
export class AnswerStore {
  readonly #key: string
  readonly #onFailure: (error: unknown) => void

  /** @param onFailure is told when nothing can be stored */
  constructor(url: string, namespace: string, onFailure: (error: unknown) => void) {
    this.#key = `svc ${url} ${namespace}`
    this.#onFailure = onFailure
  }

  /** @returns nothing when there is none for this subject, or it cannot be read */
  read({ body }: FixedSubject): { readonly answers: Answers; readonly ageMs: number } | undefined {
    try {
      const text = globalThis.localStorage.getItem(this.#key)
      if (text === null) return undefined
      const stored: Stored = JSON.parse(text)
      if (stored.version !== version || stored.subject !== body) return undefined
      const ageMs = Math.max(0, Date.now() - stored.storedAt)
      return { answers: readAnswers(stored.answers), ageMs }
    } catch {
      return undefined
    }
  }

  write({ subject, text }: Fetched): void {
    const stored: Stored = { version, subject: subject.body, answers: text, storedAt: Date.now() }
    try {
      globalThis.localStorage.setItem(this.#key, JSON.stringify(stored))
    } catch (error) {
      this.#onFailure(error)
    }
  }
}
