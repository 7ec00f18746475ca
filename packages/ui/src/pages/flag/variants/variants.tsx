import { useTexts } from '../../../text/texts.ts'
import { variantsTexts } from './texts.ts'

export function VariantsPage() {
  const t = useTexts(variantsTexts)
  return <h2>{t.title}</h2>
}
