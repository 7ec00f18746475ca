import { limits } from '../../constraints/kinds.ts'
import type { Problem } from '../../constraints/problems.ts'
import type { Format } from '../../text/format.ts'
import type { SegmentTexts } from './texts.ts'

/** What is wrong with a constraint, for people. */
export function problemText(
  { field, kind, text = '' }: Problem,
  { problems }: SegmentTexts,
  { number }: Pick<Format, 'number'>,
): string {
  if (field === 'property')
    return kind === 'missing' ? problems.property.missing : problems.property.tooLong
  if (field === 'operator') return problems.operator
  if (field === 'description') return problems.description
  const { value } = problems
  switch (kind) {
    case 'noNumber':
      return value.noNumber(text)
    case 'tooMany':
      return value.tooMany(number(limits.elements))
    case 'noDate':
    case 'noList':
    case 'tooLong':
      return value[kind]
    default:
      return value.missing
  }
}
