import { useTexts } from '../../../text/texts.ts'
import { targetingTexts } from './texts.ts'

export function TargetingPage() {
  const t = useTexts(targetingTexts)
  return <h2>{t.title}</h2>
}
