import type { FlagDocument, VariantDocument } from '@svc/client/api'
import type { Format } from '../../../text/format.ts'
import { maxBytes, maxDepth, readAttachment } from './attachment.ts'
import type { VariantsTexts } from './texts.ts'

/** What the service takes: letters of a key and a name, bytes of a description. */
const maxLength = 255
const maxDescriptionBytes = 65_536

/** What is wrong with a variant, by field. */
export interface VariantProblems {
  readonly key: string | undefined
  readonly name: string | undefined
  readonly description: string | undefined
  readonly attachment: string | undefined
}

/**
 * @param text the attachment as it was typed
 * @param isAttempted whether it was tried to save it: before that nothing is missing
 */
export function problemsOf(
  variant: VariantDocument,
  text: string,
  { variants }: Pick<FlagDocument, 'variants'>,
  t: VariantsTexts,
  { number }: Pick<Format, 'number'>,
  isAttempted: boolean,
): VariantProblems {
  const { id, key, name, description } = variant
  const { problem } = readAttachment(text)
  const isTaken = variants.some((one) => one.key === key && (one.id !== id || id === ''))
  const keyProblem =
    key === ''
      ? isAttempted
        ? t.keyMissing
        : undefined
      : key.length > maxLength
        ? t.tooLong
        : isTaken
          ? t.keyTaken(key)
          : undefined
  return {
    key: keyProblem,
    name: name.length > maxLength ? t.tooLong : undefined,
    description:
      new TextEncoder().encode(description).length > maxDescriptionBytes
        ? t.descriptionTooLong
        : undefined,
    attachment:
      problem === undefined
        ? undefined
        : problem.kind === 'noJson'
          ? t.noJson(number(problem.line))
          : problem.kind === 'tooDeep'
            ? t.tooDeep(number(maxDepth))
            : t.attachmentTooLong(number(maxBytes)),
  }
}
