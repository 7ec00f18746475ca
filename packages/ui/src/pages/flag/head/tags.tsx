import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Tag } from '../../../components/chip.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Popover } from '../../../components/popover.tsx'
import { ValuesField } from '../../../components/values-field.tsx'
import { isEqual } from '../../../data/draft.ts'
import { tagsQuery } from '../../../data/queries.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { flagTexts } from '../texts.ts'

interface Props {
  readonly tags: readonly string[]
  readonly onSave: (tags: readonly string[]) => void
}

/** The tags; they are saved when their layer is closed. */
export function Tags({ tags, onSave }: Props) {
  const t = useTexts(flagTexts)
  const { namespace, readOnlyReason } = useFlag()
  const [edited, setEdited] = useState<readonly string[]>()
  const { data: known } = useQuery({ ...tagsQuery(namespace.key), enabled: edited !== undefined })
  const suggestions = (known?.tags ?? [])
    .map(({ name }) => name)
    .filter((one) => !tags.includes(one))
  const open = (isOpen: boolean) => {
    if (readOnlyReason !== undefined) return
    if (isOpen) setEdited(tags)
    else {
      if (edited !== undefined && !isEqual(edited, tags)) onSave(edited)
      setEdited(undefined)
    }
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
