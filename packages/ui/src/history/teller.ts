import { useFormat, useTexts } from '../text/texts.ts'
import type { Teller } from './telling.ts'
import { historyPartTexts } from './texts.ts'

/** What sentences of changes are told with, in the language of the reader. */
export function useTeller(namespaceKey: string, isOwn = false): Teller {
  const t = useTexts(historyPartTexts)
  const format = useFormat()
  return { t, format, namespaceKey, isOwn }
}
