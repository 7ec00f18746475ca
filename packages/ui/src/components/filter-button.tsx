import clsx from 'clsx'
import { Plus, X } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useTexts } from '../text/texts.ts'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

interface Props extends Omit<ComponentProps<'button'>, 'children'> {
  /** What is filtered, such as `Tag`. */
  readonly name: string
  /** What for, such as `experiment`; nothing: it is not set. */
  readonly chosen?: string | undefined
  readonly onClear: () => void
}

/** A filter: dashed until it is set. Use it as the trigger of a menu or a combobox. Backspace clears it. */
export function FilterButton({ name, chosen, onClear, className, onKeyDown, ...rest }: Props) {
  const t = useTexts(componentTexts)
  const isSet = chosen !== undefined
  return (
    <span
      className={clsx(
        'inline-flex flex-none items-stretch rounded-2 border text-13',
        isSet
          ? 'border-accent-line bg-accent-soft'
          : 'border-dashed border-control text-muted hover:bg-hover hover:text-text',
        className,
      )}
    >
      <button
        type="button"
        {...rest}
        // The trigger of a combobox is not named by what is in it.
        aria-label={isSet ? `${name} ${chosen}` : name}
        className={clsx(
          'inline-flex min-h-7.5 items-center gap-1.25 rounded-2 px-2.5 whitespace-nowrap touch:min-h-10.5',
          isSet && 'pe-1',
        )}
        onKeyDown={(event) => {
          if (isSet && (event.key === 'Backspace' || event.key === 'Delete')) onClear()
          onKeyDown?.(event)
        }}
      >
        {!isSet && <Icon of={Plus} small />}
        {name}
        {isSet && <b className="max-w-40 truncate font-medium text-accent">{chosen}</b>}
      </button>
      {isSet && (
        <button
          type="button"
          className="grid w-7 place-items-center rounded-2 text-muted hover:text-text touch:w-10"
          aria-label={t.clearFilter(name)}
          onClick={onClear}
        >
          <Icon of={X} small />
        </button>
      )}
    </span>
  )
}
