import { evaluateBoolean, evaluateVariant, type SegmentRecord } from '@svc/evaluation'
import type { Explanation } from '@svc/evaluation/explain'
import { SvcError } from './api/error.ts'
import { type Answer, BaseFlags } from './base.ts'
import { Connection } from './connection.ts'
import { NamespaceCopy } from './copy.ts'
import type { TokenSource } from './credential.ts'
import { type Http, reasonOf } from './http.ts'
import { Keeper, type KeptFile, type KeptFlags, notOurs } from './keeper.ts'
import type { RecordsChange } from './records.ts'
import { RecordsFeed } from './records-feed.ts'
import { explainFailure } from './refusal.ts'
import { Start } from './start.ts'
import { contextOf, entityIdOf, entityOf } from './subject.ts'
import type { EvaluationError, LocalFlags, Logger, Subject } from './types.ts'

export interface LocalParts {
  /** Without a slash at its end. */
  readonly url: string
  readonly namespace: string
  readonly logger: Logger
  readonly http: Http
  readonly tokens: TokenSource
  readonly file: KeptFile | undefined
  readonly readyTimeoutMs: number
  readonly required: boolean
}

/** The flags of a namespace, evaluated in this process by the engine of the gateway. */
export class LocalClient extends BaseFlags implements LocalFlags {
  readonly mode = 'local'
  readonly #parts: LocalParts
  readonly #copy = new NamespaceCopy()
  /** None before it is known that the file is not of another application. */
  #keeper: Keeper | undefined
  /** Ends when the file has been read. */
  readonly #reading: Promise<void>
  /** What was read of it, until there are flags: it may be large. */
  #kept: KeptFlags | undefined
  readonly #start: Start
  readonly #connection: Connection
  /** Ends when the change that is taken in has been; the next one waits for it. */
  #applying: Promise<void> = Promise.resolve()

  private constructor(parts: LocalParts) {
    super(parts)
    const { http, tokens, file, namespace, readyTimeoutMs, required } = parts
    this.#parts = parts
    this.#reading = this.#readKept(file)
    this.#start = new Start({
      timeoutMs: readyTimeoutMs,
      required,
      useKept: () => this.#useKept(),
    })
    this.#connection = new Connection({
      feed: new RecordsFeed({
        http,
        namespace,
        awaited: () => this.waiters.wanted,
        take: (change) => this.#take(change),
        confirm: () => this.confirm(),
      }),
      tokens,
      ageMs: () => (this.isReady ? this.ageMs : Number.POSITIVE_INFINITY),
      isAwaited: () => this.waiters.wanted > 0,
      onBeat: () => this.checkFreshness(),
      onFailure: (error, isRefusal) => this.#fail(error, isRefusal),
    })
  }

  static async connect(parts: LocalParts): Promise<LocalFlags> {
    const client = new LocalClient(parts)
    try {
      await client.#start.done()
    } catch (error) {
      await client.close()
      throw error
    }
    return client
  }

  protected find(flagKey: string, subject: Subject | undefined): Answer | EvaluationError {
    const flag = this.#copy.flags.get(flagKey)
    if (flag === undefined) return 'FLAG_NOT_FOUND'
    const entity = entityOf(subject)
    return flag.type === 'BOOLEAN_FLAG_TYPE'
      ? evaluateBoolean(flag, entity)
      : evaluateVariant(flag, entity)
  }

  async explain(flagKey: string, subject?: Subject): Promise<Explanation> {
    // Rarely needed, so it is loaded when it is.
    const { explain, ExplanationTooLongError } = await import('@svc/evaluation/explain')
    const flag = this.#copy.flagLine(flagKey)?.toRecord()
    if (flag === undefined) {
      const message = `there is no flag "${flagKey}" in namespace "${this.namespace}"`
      throw new SvcError(message, { status: 0, code: 5 })
    }
    const conditions = [...flag.rules, ...flag.rollouts.flatMap(({ segment }) => segment ?? [])]
    const segments = new Map<string, SegmentRecord>()
    for (const key of conditions.flatMap(({ segmentKeys }) => segmentKeys)) {
      const record = this.#copy.segmentLine(key)?.toRecord()
      if (record !== undefined) segments.set(key, record)
    }
    try {
      return explain({
        namespaceKey: this.namespace,
        revision: this.revision,
        flag,
        segments,
        entityId: entityIdOf(subject),
        context: contextOf(subject),
      })
    } catch (error) {
      if (!(error instanceof ExplanationTooLongError)) throw error
      throw new SvcError(error.message, { status: 0, code: 8, cause: error })
    }
  }

  async close(): Promise<void> {
    this.#connection.close()
    this.#parts.tokens.close()
    this.waiters.close()
    await this.#applying
    // Without flags there is nothing to keep, and a disk that hangs need not be waited for.
    if (this.isReady) await this.#reading
    await this.#keeper?.close()
  }

  protected refresh(): void {
    if (!this.#connection.isStreaming) void this.#connection.poll()
  }

  /** Takes in what the server has sent; one after the other. */
  async #take(change: RecordsChange): Promise<void> {
    await this.#inTurn(async () => {
      const { isReady, revision: before } = this
      const { revision } = change
      const wantsKeys = isReady && this.wantsChanges
      const keys = await this.#copy.apply(change, wantsKeys, () => this.show(revision))
      this.#kept = undefined
      this.confirm()
      this.#start.succeed()
      this.#keeper?.schedule()
      if (isReady && revision < before) this.report(wentBack(before, revision))
      this.notify(keys)
    })
  }

  async #readKept(file: KeptFile | undefined): Promise<void> {
    if (file === undefined) return
    try {
      const kept = await file.read()
      this.#keepIn(file)
      if (!this.isReady) this.#kept = kept
    } catch (error) {
      const { message, code } = error as SvcError
      // What another application keeps there stays.
      if (code !== notOurs) this.#keepIn(file)
      this.report(new SvcError(message, { status: 0, code, cause: error }))
    }
  }

  #keepIn(file: KeptFile): void {
    this.#keeper = new Keeper(
      file,
      () => ({ revision: this.revision, ...this.#copy.lines() }),
      (error) => this.#cannotKeep(error),
    )
    // The server was faster.
    if (this.isReady) this.#keeper.schedule()
  }

  /** @returns whether there are flags now */
  async #useKept(): Promise<boolean> {
    await this.#reading
    if (this.#kept !== undefined) {
      await this.#inTurn(async () => {
        const kept = this.#kept
        this.#kept = undefined
        if (kept === undefined || this.isReady) return
        const { change, writtenAtMs } = kept
        await this.#copy.apply(change, false, () => this.show(change.revision))
        this.beginStale(Math.max(0, Date.now() - writtenAtMs))
      })
    }
    return this.isReady
  }

  #cannotKeep(error: unknown): void {
    const message = `${this.#parts.file?.name} cannot be written: ${reasonOf(error)}`
    this.report(new SvcError(message, { status: 0, code: 13, cause: error }))
  }

  #fail(error: SvcError, isRefusal: boolean): void {
    const { url, namespace, required } = this.#parts
    const explained = explainFailure(error, url, namespace)
    if (isRefusal) this.report(explained)
    else if (this.isReady || !required) this.warnings.warn('connection', explained.message)
    void this.#start.fail(explained, isRefusal)
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const before = this.#applying
    const done = before.then(work)
    this.#applying = done.catch(() => {})
    await done
  }
}

function wentBack(before: number, revision: number): SvcError {
  const message = `the server went back from revision ${before} to ${revision}, as a restored database does`
  return new SvcError(message, { status: 0, code: 15 })
}
