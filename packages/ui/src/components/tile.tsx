import type { CSSProperties } from 'react'

/** Names of the colours that a namespace may have, as places of the palette. */
export const namespaceColors = ['blue', 'green', 'amber', 'pink', 'teal', 'red', 'violet', 'olive']

interface Props {
  readonly namespace: { readonly key: string; readonly name: string; readonly color?: string }
  readonly size?: 'small' | 'usual' | 'large'
}

const sizeClass = { small: ' xs', usual: '', large: ' lg' }

/** The colour and the letter of a namespace. */
export function Tile({ namespace, size = 'usual' }: Props) {
  const [letter = '?'] = namespace.name || namespace.key
  return (
    <span
      className={`tile${sizeClass[size]}`}
      data-l={letter.toUpperCase()}
      style={namespaceStyle(namespace)}
      aria-hidden="true"
    />
  )
}

/** Sets `--ns` for what is inside. A namespace without a colour has one by its key, always the same. */
export function namespaceStyle({
  key,
  color = '',
}: {
  readonly key: string
  readonly color?: string
}): CSSProperties {
  const chosen = namespaceColors.indexOf(color)
  const place = chosen === -1 ? hashOf(key) % namespaceColors.length : chosen
  return { '--ns': `var(--v${place + 1})` } as CSSProperties
}

function hashOf(text: string): number {
  return [...text].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7)
}
