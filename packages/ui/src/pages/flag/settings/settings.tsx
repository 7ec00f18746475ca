import { useTexts } from '../../../text/texts.ts'
import { flagSettingsTexts } from './texts.ts'

export function FlagSettingsPage() {
  const t = useTexts(flagSettingsTexts)
  return <h2>{t.title}</h2>
}
