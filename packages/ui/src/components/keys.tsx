import clsx from 'clsx'

/** Whether the keys of this machine are those of a Mac. */
const isMac = /mac|iphone|ipad/i.test(navigator.platform)

const names: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  alt: isMac ? '⌥' : 'Alt',
  shift: '⇧',
  enter: '↵',
  up: '↑',
  down: '↓',
  backspace: '⌫',
  escape: 'Esc',
  space: 'Space',
}

interface Props {
  /** Keys that are pressed together, such as `mod k`, or one after the other, such as `g f`. */
  readonly of: string
  readonly onInk?: boolean
  readonly className?: string
}

/** The caps of keys. They are decoration: what has a shortcut says so by `aria-keyshortcuts`. */
export function Keys({ of, onInk = false, className }: Props) {
  return (
    <span className={clsx('inline-flex gap-1', className)} aria-hidden="true">
      {of.split(' ').map((key, place) => (
        <kbd
          // The same key may come twice.
          key={`${place}${key}`}
          className={clsx(
            'inline-grid h-4.5 min-w-4.5 place-items-center rounded-1 border border-b-2 px-1 font-sans text-11 leading-none',
            onInk
              ? 'border-[color-mix(in_oklch,var(--on-ink)_35%,transparent)]'
              : 'border-line-strong bg-raised text-muted',
          )}
        >
          {names[key] ?? key.toUpperCase()}
        </kbd>
      ))}
    </span>
  )
}
