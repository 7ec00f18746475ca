import clsx from 'clsx'
import type { CSSProperties } from 'react'

/** Names of the colours that a namespace may have, as places of the palette. */
export const namespaceColors: readonly string[] = [
  'blue',
  'green',
  'amber',
  'pink',
  'teal',
  'red',
  'violet',
  'olive',
]

interface Named {
  readonly key: string
  readonly name: string
  readonly color?: string
}

interface Props {
  readonly namespace: Named
  readonly size?: 'small' | 'usual' | 'large'
}

const sizes = {
  small: 'size-3.75 rounded-1 text-[0.5625rem]',
  usual: 'size-5 rounded-[0.3125rem] text-11',
  large: 'size-7 rounded-2 text-13',
}

/** The colour and the letter of a namespace. */
export function Tile({ namespace, size = 'usual' }: Props) {
  const [letter = '?'] = namespace.name || namespace.key
  return (
    <span
      className={clsx(
        'inline-grid flex-none place-items-center bg-(--ns) leading-none font-[650] text-v-label',
        sizes[size],
      )}
      style={namespaceStyle(namespace)}
      aria-hidden="true"
    >
      {letter.toUpperCase()}
    </span>
  )
}

/** Sets `--ns` for what is inside. */
export function namespaceStyle(namespace: Omit<Named, 'name'>): CSSProperties {
  const place = namespaceColors.indexOf(colorOf(namespace))
  return { '--ns': `var(--v${place + 1})` } as CSSProperties
}

/** The colour of a namespace. One that was given none has one by its key, always the same. */
export function colorOf({ key, color = '' }: Omit<Named, 'name'>): string {
  if (namespaceColors.includes(color)) return color
  return namespaceColors[hashOf(key) % namespaceColors.length] ?? 'blue'
}

function hashOf(text: string): number {
  return [...text].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7)
}

/** A namespace in the title of a dialog that writes: its tile and its name. */
export function NamespaceName({ namespace }: { readonly namespace: Named }) {
  return (
    <span className="inline-flex items-center gap-1 align-bottom">
      <Tile namespace={namespace} />
      {namespace.name || namespace.key}
    </span>
  )
}
