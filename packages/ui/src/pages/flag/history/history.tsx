import { useTexts } from '../../../text/texts.ts'
import { historyTexts } from './texts.ts'

export function HistoryPage() {
  const t = useTexts(historyTexts)
  return <h2>{t.title}</h2>
}
