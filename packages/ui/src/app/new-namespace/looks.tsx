import * as z from 'zod/mini'
import { Checkbox } from '../../components/checkbox.tsx'
import { ColorChoice } from '../../components/color-choice.tsx'
import { useTexts } from '../../text/texts.ts'
import { nameSchema } from '../name-and-key/schema.ts'
import type { NameAndKeyTexts } from '../name-and-key/texts.ts'
import { newNamespaceTexts } from './texts.ts'

/** What of a namespace may be changed later. */
export interface NamespaceDetails {
  readonly name: string
  readonly description: string
  readonly color: string
  readonly confirm: boolean
}

export function detailsShape(t: NameAndKeyTexts) {
  return {
    name: nameSchema(t),
    description: z.string().check(z.trim()),
    color: z.string(),
    confirm: z.boolean(),
  }
}

interface Props {
  readonly value: Pick<NamespaceDetails, 'color' | 'confirm'>
  readonly onColor: (color: string) => void
  readonly onConfirm: (confirm: boolean) => void
}

/** How a namespace is told from others, and whether it asks before a change. */
export function NamespaceLooks({ value, onColor, onConfirm }: Props) {
  const t = useTexts(newNamespaceTexts)
  return (
    <>
      <ColorChoice label={t.color} value={value.color} names={t.colors} onChange={onColor} />
      <Checkbox isChecked={value.confirm} onChange={onConfirm}>
        {t.confirm}
        <span className="block text-12 text-muted">{t.confirmHelp}</span>
      </Checkbox>
    </>
  )
}
