import type { Namespace } from '@svc/client/api'
import { ChevronDown } from 'lucide-react'
import { Combobox } from '../../../components/combobox.tsx'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Tile } from '../../../components/tile.tsx'

interface Props {
  readonly label: string
  readonly namespaces: readonly Namespace[]
  readonly value: string
  readonly onChange: (key: string) => void
}

/** One namespace of all. */
export function NamespaceChoice({ label, namespaces, value, onChange }: Props) {
  const chosen = namespaces.find(({ key }) => key === value) ?? { key: value, name: value }
  return (
    <Field label={label}>
      {({ id }) => (
        <Combobox
          label={label}
          value={value}
          onChange={onChange}
          trigger={
            <button
              id={id}
              type="button"
              className="flex h-control w-full min-w-0 items-center gap-2 rounded-2 border border-control bg-raised px-2.5 text-13 hover:bg-hover touch:min-h-11"
            >
              <Tile namespace={chosen} size="small" />
              <span className="min-w-0 flex-1 truncate text-start">
                {chosen.name || chosen.key}
              </span>
              <Icon of={ChevronDown} small className="text-muted" />
            </button>
          }
          items={namespaces.map((namespace) => ({
            value: namespace.key,
            text: namespace.name || namespace.key,
            detail: namespace.key,
            mark: <Tile namespace={namespace} size="small" />,
          }))}
        />
      )}
    </Field>
  )
}
