import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Tag } from '../../../components/chip.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Popover } from '../../../components/popover.tsx'
import { showToast } from '../../../components/toast.tsx'
import { ValuesField } from '../../../components/values-field.tsx'
import { isEqual } from '../../../data/draft.ts'
import { tagsOf, tagsQuery } from '../../../data/queries.ts'
import { mergeTags } from '../../../data/tags.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { useSaveParts } from '../settings/writes.ts'
import { flagTexts } from '../texts.ts'

/** The tags; they are saved when their layer is closed. */
export function Tags() {
  const t = useTexts(flagTexts)
  const { namespace, flag, name, readOnlyReason } = useFlag()
  const { saveTags } = useSaveParts()
  const [edited, setEdited] = useState<readonly string[]>()
  /** The tags when the edit began. */
  const [opened, setOpened] = useState<readonly string[]>([])
  /** What is on its way to the service. */
  const [pending, setPending] = useState<readonly string[]>()
  /** What was refused: it is there again when the layer is opened. */
  const [kept, setKept] = useState<{
    readonly opened: readonly string[]
    readonly edited: readonly string[]
  }>()
  const stored = tagsOf(flag)
  const tags = pending ?? stored
  const { data: known } = useQuery({ ...tagsQuery(namespace.key), enabled: edited !== undefined })
  const suggestions = (known?.tags ?? [])
    .map(({ name }) => name)
    .filter((one) => !tags.includes(one))
  const open = (isOpen: boolean) => {
    if (readOnlyReason !== undefined) return
    if (isOpen) {
      setOpened(kept?.opened ?? stored)
      setEdited(kept?.edited ?? stored)
      setKept(undefined)
    } else if (edited !== undefined) {
      if (!isEqual(edited, opened)) void save({ opened, edited })
      setEdited(undefined)
    }
  }
  const save = async (edit: NonNullable<typeof kept>) => {
    setPending(mergeTags(edit.opened, edit.edited, stored))
    const reason = await saveTags(edit.opened, edit.edited, t.tagged(name))
    setPending(undefined)
    if (reason === undefined) return
    setKept(edit)
    showToast(t.tagsKept(reason), { isFailure: true })
  }
  return (
    <span className="flex flex-wrap items-center gap-1">
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      <Popover
        label={t.tags}
        isOpen={edited !== undefined}
        onOpenChange={open}
        className="w-80 max-w-[calc(100vw-1rem)]"
        trigger={
          tags.length === 0 ? (
            <Button look="quiet" size="small" className="-ms-2" disabledReason={readOnlyReason}>
              <Icon of={Plus} small />
              {t.addTag}
            </Button>
          ) : (
            <Button
              look="quiet"
              size="small"
              isIcon
              aria-label={t.editTags}
              disabledReason={readOnlyReason}
            >
              <Icon of={Pencil} small />
            </Button>
          )
        }
      >
        <ValuesField
          name={t.tags}
          values={edited ?? tags}
          onChange={setEdited}
          placeholder={t.tagsPlaceholder}
          isMono={false}
          suggestions={suggestions}
          listId="tags-known"
        />
      </Popover>
    </span>
  )
}
