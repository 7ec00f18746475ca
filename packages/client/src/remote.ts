import { AnswerStore } from './answer-store.ts'
import { type Answers, differences, noAnswers } from './answers.ts'
import { AnswersFeed, type Fetched } from './answers-feed.ts'
import { SvcError } from './api/error.ts'
import { type Answer, BaseFlags } from './base.ts'
import { Connection } from './connection.ts'
import type { TokenSource } from './credential.ts'
import { type Http, reasonOf } from './http.ts'
import { explainFailure } from './refusal.ts'
import { Start } from './start.ts'
import { type FixedSubject, fixSubject, isSameSubject } from './subject.ts'
import { Transfer } from './transfer.ts'
import type { EvaluationError, Logger, RemoteFlags, Subject } from './types.ts'

/** Silence of the server after which `setContext` gives up, in milliseconds. */
const maxSilenceMs = 10_000

export interface RemoteParts {
  /** Without a slash at its end. */
  readonly url: string
  readonly namespace: string
  readonly logger: Logger
  readonly http: Http
  readonly tokens: TokenSource
  readonly readyTimeoutMs: number
  readonly required: boolean
}

interface RemoteChoices {
  readonly subject?: Subject | undefined
  readonly persist?: boolean | undefined
}

/** The flags of a namespace, evaluated by the server for one subject. */
export async function connectRemote(
  parts: RemoteParts,
  choices: RemoteChoices,
): Promise<RemoteFlags> {
  const client = new RemoteClient(parts, choices)
  try {
    await client.start.done()
  } catch (error) {
    await client.close()
    throw error
  }
  return client
}

class RemoteClient extends BaseFlags implements RemoteFlags {
  readonly mode = 'remote'
  readonly start: Start
  readonly #parts: RemoteParts
  readonly #store: AnswerStore | undefined
  readonly #feed: AnswersFeed
  readonly #connection: Connection
  #subject: FixedSubject
  /** Of the last call of `setContext`, until its answers are here. */
  #next: FixedSubject | undefined
  /** That call; resolves with whether its answers are shown. */
  #lastFetch: Promise<boolean> | undefined
  #answers: Answers = noAnswers

  constructor(parts: RemoteParts, { subject, persist = false }: RemoteChoices) {
    super(parts)
    const { http, tokens, url, namespace, readyTimeoutMs, required } = parts
    this.#parts = parts
    this.#subject = fixSubject(subject)
    const cannotStore = (error: unknown) =>
      this.warnings.warn('persist', `the answers cannot be stored: ${reasonOf(error)}`)
    this.#store = persist ? new AnswerStore(url, namespace, cannotStore) : undefined
    this.start = new Start({
      timeoutMs: readyTimeoutMs,
      required,
      useKept: async () => this.isReady,
    })
    this.#useStored()
    const isAwaited = () => this.waiters.wanted > 0
    this.#feed = new AnswersFeed({
      http,
      namespace,
      subject: () => this.#subject,
      isAwaited,
      take: (fetched) => this.#take(fetched),
      confirm: () => {
        this.confirm()
        this.start.succeed()
      },
    })
    this.#connection = new Connection({
      feed: this.#feed,
      tokens,
      ageMs: () => this.ageMs,
      isAwaited,
      isHidden: () => globalThis.document?.visibilityState === 'hidden',
      onBeat: () => this.checkFreshness(),
      onFailure: (error, isRefusal) => this.#fail(error, isRefusal),
    })
  }

  protected find(flagKey: string, subject: Subject | undefined): Answer | EvaluationError {
    // From code without types it may also be null.
    if (subject && !isSameSubject(this.#subject, subject)) return 'INVALID_CONTEXT'
    return this.#answers.byKey.get(flagKey) ?? 'FLAG_NOT_FOUND'
  }

  async setContext(subject: Subject): Promise<void> {
    const next = fixSubject(subject)
    this.#next = next
    let fetching = this.#fetch(next)
    this.#lastFetch = fetching
    // A call that was overtaken ends as the last one does: nothing of it is shown.
    while (!(await fetching) && fetching !== this.#lastFetch) fetching = this.#lastFetch
  }

  async close(): Promise<void> {
    this.#connection.close()
    this.#parts.tokens.close()
    this.waiters.close()
  }

  protected refresh(): void {
    if (!this.#connection.isStreaming) void this.#connection.poll()
  }

  /** For the first paint: what the server says comes later. */
  #useStored(): void {
    const stored = this.#store?.read(this.#subject)
    if (stored === undefined) return
    this.#answers = stored.answers
    this.show(stored.answers.revision ?? 0)
    this.beginStale(stored.ageMs)
    this.start.succeed()
  }

  /** @returns whether the answers are shown @throws {SvcError} when the server does not answer */
  async #fetch(next: FixedSubject): Promise<boolean> {
    const transfer = new Transfer(maxSilenceMs)
    try {
      return await this.#feed.fetch(next, transfer)
    } catch (error) {
      if (transfer.isSilent) {
        const message = `the server did not answer within ${maxSilenceMs} ms`
        throw new SvcError(message, { status: 0, code: 4, cause: error })
      }
      throw this.#explain(error)
    } finally {
      transfer.end()
      if (this.#next === next) this.#next = undefined
    }
  }

  /** @returns whether they are shown: another subject may have been given meanwhile */
  #take(fetched: Fetched): boolean {
    const { subject, answers } = fetched
    if (subject !== this.#subject && subject !== this.#next) return false
    const keys = this.isReady && this.wantsChanges ? differences(this.#answers, answers) : []
    this.#subject = subject
    this.#answers = answers
    this.show(answers.revision ?? 0)
    this.#store?.write(fetched)
    this.notify(keys)
    return true
  }

  #fail(error: SvcError, isRefusal: boolean): void {
    const explained = this.#explain(error)
    if (isRefusal) this.report(explained)
    else if (this.isReady || !this.#parts.required) {
      this.warnings.warn('connection', explained.message)
    }
    void this.start.fail(explained, isRefusal)
  }

  #explain(error: unknown): SvcError {
    const { url, namespace } = this.#parts
    if (error instanceof SvcError) return explainFailure(error, url, namespace)
    return new SvcError(reasonOf(error), { status: 0, code: 13, cause: error })
  }
}
