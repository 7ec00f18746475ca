import type {
  ConstraintDocument,
  RolloutDocument,
  RuleDocument,
  VariantDocument,
} from '@svc/client/api'
import {
  type Split,
  tellConstraint,
  tellRollout,
  tellRule,
  tellSegments,
  tellSplit,
  tellValue,
  type Words,
} from './describe.ts'
import type { Kind } from './documents.ts'
import type { ListName } from './fields.ts'
import { clean } from './marked.tsx'
import type { MergeRow } from './merge.ts'

/** A row of the table of a conflict in words. A version without words is not there. */
export interface ToldRow {
  readonly what: string
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

/** Longer values are cut: the documents have all of them. */
const maxLength = 300

export function tellRow(row: MergeRow, kind: Kind, isBoolean: boolean, words: Words): ToldRow {
  const tell = (value: unknown) => {
    const text = tellVersion(row, value, isBoolean, words)
    return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  }
  return {
    what: tellPlace(row, kind, isBoolean, words),
    base: tell(row.base),
    mine: tell(row.mine),
    theirs: tell(row.theirs),
  }
}

function tellPlace({ place }: MergeRow, kind: Kind, isBoolean: boolean, words: Words): string {
  const { t, format } = words
  const { list, field = '', index = 0, element } = place
  if (list === undefined) {
    if (field === 'metadata.tags') return t.tags
    if (field.startsWith('metadata.')) return t.metadata(clean(field.slice('metadata.'.length)))
    if (field === 'enabled') return kind === 'flag' && isBoolean ? t.elseLabel : t.enabled
    const names: Readonly<Record<string, string>> = {
      name: t.nameLabel,
      description: t.descriptionLabel,
      default: t.default,
      matchType: t.matchType,
    }
    return names[field] ?? field
  }
  if (field === 'order') return t.order[list]
  const number = format.number(index + 1)
  const what = {
    rollouts: () => t.rollout(number),
    rules: () => t.rule(number),
    constraints: () => t.constraint(number),
    variants: () => t.variant(clean((element as VariantDocument).key)),
  }[list]()
  const names: Readonly<Record<string, string>> = t.fields
  const name = names[field]
  return name === undefined ? what : `${what}, ${name}`
}

function tellVersion(
  { place }: MergeRow,
  value: unknown,
  isBoolean: boolean,
  words: Words,
): string {
  const { t, format } = words
  const { list, field } = place
  if (list !== undefined && field === undefined)
    return value === undefined ? t.notThere : tellElement(list, value, words)
  switch (field) {
    case 'order':
      return (value as readonly number[]).map((one) => format.number(one + 1)).join(', ')
    case 'who': {
      const { segments, operator } = value as RuleDocument
      return tellSegments(segments, operator, words)
    }
    case 'percentage':
      return format.exactShare(Number(value))
    case 'value':
      return tellValue(value === true, words)
    case 'enabled':
      if (isBoolean) return tellValue(value === true, words)
      return value === true ? t.yes : t.no
    case 'split':
      return tellSplit(value as Split, words)
    case 'condition':
      return tellConstraint(value as ConstraintDocument, words)
    case 'target': {
      const name = Object.hasOwn(value as object, 'segments') ? 'segment' : 'threshold'
      return tellElement('rollouts', { [name]: value }, words)
    }
    case 'matchType':
      return value === 'ALL_MATCH_TYPE' ? t.matchAll : t.matchAny
    case 'default':
      return value === undefined ? t.codeDefault : clean(String(value))
    default:
      return tellPlain(value, words)
  }
}

function tellElement(list: ListName, value: unknown, words: Words): string {
  switch (list) {
    case 'rollouts':
      return tellRollout(value as RolloutDocument, undefined, words)
    case 'rules':
      return tellRule(value as RuleDocument, words)
    case 'constraints':
      return tellConstraint(value as ConstraintDocument, words)
    case 'variants': {
      const { key, name, attachment } = value as VariantDocument
      return [key, name, attachment]
        .filter((part) => part !== '')
        .map(clean)
        .join(', ')
    }
  }
}

function tellPlain(value: unknown, { t, format }: Words): string {
  if (value === undefined || value === '') return t.none
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.length === 0 ? t.none : format.list(value.map(clean))
  return clean(typeof value === 'string' ? value : JSON.stringify(value))
}
