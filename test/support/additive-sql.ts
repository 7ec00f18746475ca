import { type AlterTableCmd, type ColumnDef, type Constraint, type Node, parse } from 'libpg-query'

/** A statement by which a migration may break the release before, which runs on the same schema. */
export interface Breach {
  /** Such as `ALTER TABLE shop.items DROP COLUMN note`. */
  readonly statement: string
  readonly why: string
}

/** Begins a comment before a statement that only its author can judge, with the reason why it breaks nothing. */
const excuse = /^\s*-- The release before runs on it: \S.+/m

/** Statements that add, whatever there was. */
const adding = new Set([
  'CommentStmt',
  'CompositeTypeStmt',
  'CreateDomainStmt',
  'CreateEnumStmt',
  'CreateSeqStmt',
])

const harmlessCommands = new Set([
  'AT_SetCompression',
  'AT_SetRelOptions',
  'AT_SetStatistics',
  'AT_SetStorage',
  'AT_ValidateConstraint',
])

/** Takes something away from the release before: no reason excuses these. */
const removing: Readonly<Record<string, string>> = {
  AT_AlterColumnType: 'the release before uses the type',
  AT_DropColumn: 'the release before uses the column',
  AT_SetNotNull: 'the release before may write NULL',
  DropStmt: 'the release before uses it',
  RenameStmt: 'the release before uses the name',
  TruncateStmt: 'the release before uses the rows',
}

/** Actions of a foreign key by which rows can be deleted that it refers to: CASCADE and SET NULL. */
const deleting = new Set(['c', 'n'])

const unknown = 'say in a comment why: -- The release before runs on it: …'

/**
 * Finds what breaks the release before in the SQL of a migration: everything but additions, and but what a
 * comment gives a reason for. What the migration itself has created may be changed freely.
 */
export async function findBreaches(sql: string): Promise<Breach[]> {
  const bytes = Buffer.from(sql)
  const breaches: Breach[] = []
  const created = new Set<string>()
  let end = 0
  for (const { stmt, stmt_location: at = 0, stmt_len: length } of (await parse(sql)).stmts ?? []) {
    if (stmt === undefined) continue
    // With the comments before it.
    const start = end
    end = length === undefined || length === 0 ? bytes.length : at + length
    const text = bytes.subarray(start, end).toString()
    const reasons = whyBreaking(stmt, created).filter(
      (why) => why !== unknown || !excuse.test(text),
    )
    const statement = text
      .replace(/^\s*--.*$/gm, '')
      .replace(/\s+/g, ' ')
      .trim()
    for (const why of reasons) breaches.push({ statement: statement.slice(0, 80), why })
  }
  return breaches
}

/** @param created names of what the migration has made; this adds to it */
function whyBreaking(node: Node, created: Set<string>): string[] {
  const [kind = ''] = Object.keys(node)
  if ('CreateStmt' in node) {
    created.add(nameOf(node.CreateStmt.relation))
    return whyReferences(node.CreateStmt.tableElts, created)
  }
  if ('CreateFunctionStmt' in node) {
    const name = textOf(node.CreateFunctionStmt.funcname)
    if (node.CreateFunctionStmt.replace === true && !created.has(name)) return [unknown]
    created.add(name)
    return []
  }
  if ('GrantStmt' in node) return node.GrantStmt.is_grant === true ? [] : [unknown]
  if (adding.has(kind)) return []
  if ('AlterTableStmt' in node) {
    const commands = (node.AlterTableStmt.cmds ?? []).flatMap((one) =>
      'AlterTableCmd' in one ? [one.AlterTableCmd] : [],
    )
    const added = commands.flatMap(({ def }) => (def === undefined ? [] : [def]))
    const isNew = created.has(nameOf(node.AlterTableStmt.relation))
    const reasons = isNew ? [] : commands.flatMap(whyCommand)
    return [...new Set([...reasons, ...whyReferences(added, created)])]
  }
  if ('IndexStmt' in node) {
    const isNew = created.has(nameOf(node.IndexStmt.relation))
    return node.IndexStmt.unique === true && !isNew ? [unknown] : []
  }
  if ('CreateTrigStmt' in node) {
    return created.has(nameOf(node.CreateTrigStmt.relation)) ? [] : [unknown]
  }
  if ('InsertStmt' in node) {
    return created.has(nameOf(node.InsertStmt.relation)) ? [] : [unknown]
  }
  return [removing[kind] ?? unknown]
}

function whyCommand({ subtype, def }: AlterTableCmd): string[] {
  if (subtype === undefined) return [unknown]
  if (harmlessCommands.has(subtype)) return []
  if (subtype === 'AT_AddColumn' && def !== undefined && 'ColumnDef' in def) {
    return whyColumn(def.ColumnDef)
  }
  return [removing[subtype] ?? unknown]
}

/** The release before deletes rows without a look at a table that is new to it. */
function whyReferences(definitions: readonly Node[] = [], created: ReadonlySet<string>): string[] {
  const constraints = definitions.flatMap((one) =>
    'ColumnDef' in one ? (one.ColumnDef.constraints ?? []) : [one],
  )
  const keepsRows = ({ contype, pktable, fk_del_action: action = '' }: Constraint) =>
    contype === 'CONSTR_FOREIGN' && !created.has(nameOf(pktable)) && !deleting.has(action)
  return constraints.some((one) => 'Constraint' in one && keepsRows(one.Constraint))
    ? [unknown]
    : []
}

/** The release before writes rows without a column that is new. */
function whyColumn({ colname = '', constraints = [] }: ColumnDef): string[] {
  const types = new Set<string | undefined>()
  for (const one of constraints) {
    if (!('Constraint' in one)) continue
    const { contype, raw_expr: check } = one.Constraint
    types.add(contype)
    const names = contype === 'CONSTR_CHECK' ? columnsIn(check) : []
    if (names.some((name) => name !== colname)) return [unknown]
  }
  const hasValue = ['CONSTR_DEFAULT', 'CONSTR_GENERATED', 'CONSTR_IDENTITY'].some((type) =>
    types.has(type),
  )
  if (types.has('CONSTR_NOTNULL') && !hasValue)
    return ['the release before does not write the column']
  return types.has('CONSTR_UNIQUE') || types.has('CONSTR_PRIMARY') ? [unknown] : []
}

/** Names of columns in an expression, however deep. */
function columnsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(columnsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'ColumnRef' ? [textOf(inner.fields)] : columnsIn(inner),
  )
}

function nameOf(relation: { schemaname?: string; relname?: string } | undefined): string {
  return `${relation?.schemaname ?? ''}.${relation?.relname ?? ''}`
}

/** @returns the last part of a name that may have several */
function textOf(parts: readonly Node[] = []): string {
  const last = parts.at(-1)
  return last !== undefined && 'String' in last ? (last.String.sval ?? '') : ''
}
