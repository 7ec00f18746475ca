import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { inSpan, type Span } from '@svc/telemetry'
import type { PoolClient, QueryConfig } from 'pg'
import type { Queryable } from './database.ts'
import { measured } from './database-metrics.ts'
import {
  breaksConnection,
  isOfAbortedTransaction,
  isOutdatedStatement,
  translateError,
} from './errors.ts'
import { statementTimeoutMs } from './session-settings.ts'
import { describeStatement, noteSqlState } from './tracing.ts'

/** Maximum wait for an answer. Later than the server's limit, which leaves the connection usable. */
export const queryTimeoutMs = 2500

export interface QueryOptions {
  /**
   * Maximum wait for locks, in milliseconds, on top of the statement's own time: for a transaction
   * that queues behind other processes. {@link isLockTimeout} recognizes the error.
   * @default 1000
   */
  readonly lockTimeoutMs?: number
  /**
   * The statement changes nothing. So in a transaction it does not await BEGIN: it is sent with the one
   * before it, or once that is.
   * @default false
   */
  readonly isRead?: boolean
}

export interface TransactionOptions {
  /**
   * Every statement reads the data of the same moment, and none writes. So the first one does not
   * await BEGIN: outside of the transaction it would change nothing.
   * @default false
   */
  readonly readOnly?: boolean
  /**
   * The first statement reads or locks. So it does not await BEGIN, as if all of them read.
   * @default false
   */
  readonly readsFirst?: boolean
}

/** Maximum names of a process: each connection holds a plan for each. This code has some hundred. */
const maxNames = 500

interface PreparedStatement {
  readonly name: string
  readonly text: string
}

/** Names of prepared statements: a connection parses a text once and runs it by its name after that. */
export class StatementNames {
  readonly #statements = new Map<string, PreparedStatement>()
  #count = 0
  /** Comment that follows every text, once statements were prepared anew. */
  #suffix = ''

  /** @returns nothing for texts beyond the maximum, which are parsed each time */
  prepare(text: string): PreparedStatement | undefined {
    const known = this.#statements.get(text)
    if (known !== undefined || this.#statements.size >= maxNames) return known
    const statement = { name: `svc${this.#count}`, text: text + this.#suffix }
    this.#count += 1
    this.#statements.set(text, statement)
    return statement
  }

  /**
   * Gives new names to all texts, so that every connection prepares them anew. A pooler goes by the text
   * instead, and has one statement for all clients that send it.
   */
  renew(): void {
    this.#suffix = ` /* ${randomBytes(4).toString('hex')} */`
    this.#statements.clear()
  }
}

type Statement = Parameters<Queryable['query']>

/** A connection out of the pool, and whether it may go back there. */
export class PooledConnection {
  readonly #client: PoolClient
  readonly #names: StatementNames
  isBroken = false

  constructor(client: PoolClient, names: StatementNames) {
    this.#client = client
    this.#names = names
  }

  async query<Row>(
    text: string,
    values: readonly unknown[] = [],
    { lockTimeoutMs }: QueryOptions = {},
  ): Promise<Row[]> {
    if (lockTimeoutMs === undefined) return (await this.#run(text, values)).rows
    return this.#queryWithLockTimeout(text, values, Math.ceil(lockTimeoutMs))
  }

  /** After it, the connection is outside of any transaction, or marked as broken. */
  async transaction<T>(
    work: (tx: Queryable) => Promise<T>,
    { readOnly = false, readsFirst = readOnly }: TransactionOptions = {},
  ): Promise<T> {
    const mode = readOnly ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED'
    const beginning = this.#run(`BEGIN ISOLATION LEVEL ${mode}`)
    let hasBegun = false
    const noteBegun = () => {
      hasBegun = true
    }
    beginning.then(noteBegun, () => {})
    if (!readsFirst) await beginning
    let isFirst = true
    /** Whether a statement awaits BEGIN, and so all that follow: none overtakes another. */
    let isHeld = false
    let ended = false
    /** Statements that have no answer yet, in their order. */
    const running = new Set<Promise<unknown>>()
    /** Of the first statement that failed: those that were sent after it only say that one has. */
    let cause: unknown
    const send = async <Row>(...[text, values, options]: Statement) => {
      if (!isFirst && !readOnly && options?.isRead !== true) isHeld = true
      isFirst = false
      // Not after that: to await what is settled takes a moment, too, in which a read would be sent.
      if (isHeld && !hasBegun) await beginning
      // The connection may serve another caller by now.
      if (ended) throw new Error('the transaction has ended')
      return this.query<Row>(text, values, options)
    }
    const tx: Queryable = {
      query<Row>(...statement: Statement) {
        const rows = send<Row>(...statement)
        running.add(rows)
        const forget = () => void running.delete(rows)
        rows.then(forget, (error: unknown) => {
          cause ??= error
          forget()
        })
        return rows
      },
    }
    try {
      const [result] = await Promise.all([work(tx), beginning])
      ended = true
      // The first to fail is the one that says why.
      const [{ command }] = await Promise.all([this.#run('COMMIT'), ...running])
      if (command !== 'COMMIT')
        throw new Error('rolled back: an error in it was caught and ignored')
      return result
    } catch (error) {
      ended = true
      const markBroken = () => {
        this.isBroken = true
      }
      if (!this.isBroken) await this.#run('ROLLBACK').catch(markBroken)
      throw isOfAbortedTransaction(error) ? (cause ?? error) : error
    }
  }

  /** Sets the limits, runs the statement and resets them, in one round trip. */
  async #queryWithLockTimeout<Row>(
    text: string,
    values: readonly unknown[],
    lockTimeoutMs: number,
  ): Promise<Row[]> {
    const waitMs = queryTimeoutMs + lockTimeoutMs
    const set = (timeouts: readonly (string | null)[]) => this.#run(setTimeouts, timeouts, waitMs)
    const [, { rows }] = await Promise.all([
      set([`${lockTimeoutMs}`, `${statementTimeoutMs + lockTimeoutMs}`]),
      this.#run(text, values, waitMs),
      set([null, null]),
    ])
    return rows
  }

  async #run(text: string, values: readonly unknown[] = [], timeoutMs = queryTimeoutMs) {
    const prepared = values.length === 0 ? undefined : this.#names.prepare(text)
    // The driver's types lack `query_timeout`.
    const query: QueryConfig & { readonly query_timeout: number } = {
      text,
      values: [...values],
      query_timeout: timeoutMs,
      ...prepared,
    }
    return inSpan(
      () => describeStatement(text),
      (span) => this.#send(query, span),
    )
  }

  async #send(query: QueryConfig, span: Span | undefined) {
    try {
      this.#cork()
      return await measured(query.text, () => this.#client.query(query))
    } catch (error) {
      noteSqlState(span, error)
      if (breaksConnection(error)) this.isBroken = true
      if (isOutdatedStatement(error)) this.#names.renew()
      throw translateError(error)
    }
  }

  /** Statements of one turn are sent at once: each write wakes the server's process, too. */
  #cork(): void {
    // The driver's types lack `connection`.
    const { stream } = (this.#client as PoolClient & { connection: { stream: Socket } }).connection
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
}

/** For the transaction; NULL resets to the connection's own. */
const setTimeouts = `SELECT set_config('lock_timeout', $1, true),
                            set_config('statement_timeout', $2, true)`
