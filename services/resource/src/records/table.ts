import type { Queryable } from '@svc/database'
import { invalidField } from '@svc/runtime'
import { recordNotFound } from './errors.ts'
import { microseconds, type RowTimes } from './instants.ts'
import { toListQuery } from './list-query.ts'
import { orderByNumbers } from './order.ts'
import {
  type ListOptions,
  type Page,
  type PageOf,
  type PageRequest,
  readPage,
  toPage,
} from './paging.ts'

/** How the records of one kind are stored: constants, never anything that a caller sent. */
export interface TableOptions<Row, Message> {
  /** What messages call a record. The table has its plural. */
  readonly kind: string
  /** Fields that name a record, from the outside in. */
  readonly key: readonly (keyof Row & string)[]
  /** The other fields that are columns. */
  readonly fields: readonly (keyof Row & string)[]
  /** Fields that a deletion has to match; the key unless given. */
  readonly deletionKey?: readonly (keyof Row & string)[]
  /** SQL of what else is read of a record. */
  readonly more?: readonly string[]
  /**
   * SQL of the revision of a record: that of the flag, segment or settings that it is, or is part of. Left
   * out where records are not read by themselves.
   */
  readonly revision?: string
  readonly toMessage: (row: Row) => Message
  readonly list?: ListOptions<Message>
  readonly summary?: Summary<Message, never>
}

/** What the view `SUMMARY` adds to the records of a table. */
export interface Summary<Message, Columns> {
  /** SQL of a JSON value. */
  readonly sql: string
  toMembers(columns: Columns): Partial<Message>
}

/** Values of fields, such as a request. What is no field of the table is ignored. */
type Values = object

/**
 * The records of one kind, and the statements that read and write them. A column has the name of its
 * field in snake case.
 */
export class Table<Row extends RowTimes, Message> {
  readonly kind: string
  readonly toMessage: (row: Row) => Message
  readonly #options: TableOptions<Row, Message>
  readonly #name: string
  readonly #columns: string
  readonly #isNamed: string

  constructor(options: TableOptions<Row, Message>) {
    const { kind, key, fields, more = [], toMessage } = options
    this.kind = kind
    this.toMessage = toMessage
    this.#options = options
    this.#name = `${kind}s`
    const columns = [...key, ...fields].map((field) => `${this.#column(field)} AS "${field}"`)
    const times = this.#times().map((time, index) => `${time} AS "${timeFields[index]}"`)
    this.#columns = [...columns, ...times, ...more].join(', ')
    this.#isNamed = this.#isEqual(key)
  }

  #column(field: string): string {
    return `${this.#name}.${toColumn(field)}`
  }

  #times(): string[] {
    return timeFields.map((field) => microseconds(this.#column(field)))
  }

  #isEqual(fields: readonly string[]): string {
    const conditions = fields.map((field, index) => `${this.#column(field)} = $${index + 1}`)
    return conditions.join(' AND ') || 'true'
  }

  /** @throws {ConstraintViolation} */
  async insert(db: Queryable, values: Values): Promise<Message> {
    const fields = given([...this.#options.key, ...this.#options.fields], values)
    const rows = await db.query<Row>(
      `INSERT INTO resource.${this.#name} (${fields.map(toColumn)})
       VALUES (${fields.map((_, index) => `$${index + 1}`)}) RETURNING ${this.#columns}`,
      pick(fields, values),
    )
    return this.toMessage(onlyRow(rows))
  }

  /**
   * @param values a field that is left out stays as it is
   * @returns the record as it now is, or `undefined` when there is none to update
   * @throws {ConstraintViolation}
   */
  async update(db: Queryable, values: Values): Promise<Message | undefined> {
    const { key } = this.#options
    const fields = given(this.#options.fields, values)
    const changes = fields.map((field, index) => `${toColumn(field)} = $${key.length + index + 1}`)
    const [row] = await db.query<Row>(
      `UPDATE resource.${this.#name}
          SET ${[...changes, 'updated_at = statement_timestamp()']}
        WHERE ${this.#isNamed} RETURNING ${this.#columns}`,
      pick([...key, ...fields], values),
    )
    return row && this.toMessage(row)
  }

  /**
   * With everything in it.
   *
   * @returns how many bytes its row counted, or `undefined` when there was none
   * @throws {ConstraintViolation}
   */
  async delete(db: Queryable, values: Values): Promise<number | undefined> {
    const { key, deletionKey = key, list } = this.#options
    const bytes = list?.isNamespaceList ? 'held_bytes' : '0'
    const [row] = await db.query<{ bytes: number }>(
      `DELETE FROM resource.${this.#name} WHERE ${this.#isEqual(deletionKey)}
       RETURNING ${bytes} AS bytes`,
      pick(deletionKey, values),
    )
    return row?.bytes
  }

  /** @throws {AppError} `not_found` when there is none */
  async get(db: Queryable, values: Values): Promise<Message> {
    return this.toMessage(await this.#read<Row>(db, values, this.#columns))
  }

  /**
   * A record and its revision, of the same moment.
   *
   * @throws {AppError} `not_found` when there is none
   */
  async getWithRevision(
    db: Queryable,
    values: Values,
  ): Promise<{ readonly message: Message; readonly revision: number }> {
    const { revision: sql } = this.#options
    if (sql === undefined) throw new Error(`${this.#name} are not read by themselves`)
    const view = this.#viewOf(values)
    const columns = `${view.columns}, ${sql} AS "ownRevision"`
    const { ownRevision, ...row } = await this.#read<{ ownRevision: number }>(db, values, columns)
    return { message: view.toMessage(row as unknown as Row), revision: ownRevision }
  }

  /**
   * What is read for the `view` that a request names.
   *
   * @throws {AppError} for a view that there is not
   */
  #viewOf(values: Values): { readonly columns: string; readonly toMessage: (row: Row) => Message } {
    const { summary } = this.#options
    const view: unknown = Reflect.get(values, 'view') ?? ''
    if (summary === undefined || view === '') {
      return { columns: this.#columns, toMessage: this.toMessage }
    }
    if (view !== 'SUMMARY') throw invalidField('view', 'must be SUMMARY')
    return {
      columns: `${this.#columns}, (${summary.sql}) AS "ownSummary"`,
      toMessage: (row) => {
        const { ownSummary, ...rest } = row as Row & { readonly ownSummary: never }
        return { ...this.toMessage(rest as unknown as Row), ...summary.toMembers(ownSummary) }
      },
    }
  }

  async #read<R>(db: Queryable, values: Values, columns: string): Promise<R> {
    const [outermost, ...inner] = pick(this.#options.key, values)
    const [row] = await db.query<R>(
      `SELECT ${columns} FROM resource.${this.#name} WHERE ${this.#isNamed}`,
      [outermost, ...inner],
    )
    if (row === undefined) throw recordNotFound(this.kind, outermost, ...inner.slice(-1))
    return row
  }

  /**
   * The records of a namespace that are, or are part of, what `keys` name. Parts come in their order.
   *
   * @param keys of flags or segments
   */
  async readAll(db: Queryable, namespaceKey: string, keys: readonly string[]): Promise<Message[]> {
    const [namespace = '', owner = '', ...part] = this.#options.key.map((field) =>
      this.#column(field),
    )
    const order = [owner, ...(this.#options.list?.order ?? [])]
    const rows = await db.query<Row>(
      `SELECT ${this.#columns} FROM resource.${this.#name}
        WHERE ${namespace} = $1 AND ${owner} = ANY ($2::text[])
        ${part.length === 0 ? '' : `ORDER BY ${order}`}`,
      [namespaceKey, keys],
    )
    return rows.map(this.toMessage)
  }

  /** @param page what is to be read of the list that `values` name */
  list(db: Queryable, values: Values & PageRequest, page?: Page): Promise<PageOf<Message>> {
    const { key, list: options } = this.#options
    if (options === undefined) throw new Error(`${this.#name} are not listed by themselves`)
    const names = key.slice(0, -1)
    const named = pick(names, values)
    const query = toListQuery(values, orderByNumbers(options.order), options.filters ?? {}, named)
    const list = {
      ...options,
      ...query,
      ...this.#viewOf(values),
      name: this.#name,
      where: this.#isEqual(names),
      values: [...named, ...query.values],
    }
    return readPage(db, list, page ?? toPage(values, query))
  }

  /**
   * SQL of the records that an owner has, in the order of their creation. Each is a JSON array, which
   * takes a third of the time of an object.
   */
  ownedBy(isOwned: string): string {
    const columns = [...this.#ownFields().map((field) => this.#column(field)), ...this.#times()]
    return `(SELECT json_agg(json_build_array(${columns}) ORDER BY ${this.#column('position')})
      FROM resource.${this.#name} WHERE ${isOwned}) AS ${this.#name}`
  }

  /** @param owner what names the owner */
  fromOwner(owner: Values, rows: OwnedRows): Message[] {
    const fields = [...this.#ownFields(), ...timeFields]
    return (rows ?? []).map((values) => {
      const row: Record<string, unknown> = { ...owner }
      for (const [index, field] of fields.entries()) row[field] = values[index]
      return this.toMessage(row as unknown as Row)
    })
  }

  #ownFields(): string[] {
    const { key, fields } = this.#options
    return [...key.slice(-1), ...fields]
  }
}

/** What {@link Table.ownedBy} gives; `null` for none. */
export type OwnedRows = readonly (readonly unknown[])[] | null

const timeFields = ['createdAt', 'updatedAt'] as const

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function pick(fields: readonly string[], values: Values): unknown[] {
  return fields.map((field) => Reflect.get(values, field))
}

function given(fields: readonly string[], values: Values): string[] {
  return fields.filter((field) => Reflect.get(values, field) !== undefined)
}

/** The row of a statement that always gives one, such as an `INSERT … RETURNING`. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the statement gave no row')
  return row
}
