import { readFileSync } from 'node:fs'
import t from 'tap'

// From the sources: the style sheets are not compiled.
const css = readFileSync(new URL('../../src/styles/tokens.css', import.meta.url), 'utf8')

type Theme = 'light' | 'dark'
const tokens = new Map<string, Readonly<Record<Theme, string>>>()
const pattern = /--([\w-]+):\s*light-dark\((oklch\([^)]*\)),\s*(oklch\([^)]*\))\);/g
for (const [, name = '', light = '', dark = ''] of css.matchAll(pattern))
  tokens.set(name, { light, dark })

/** Linear sRGB of `oklch(L% C H)`. */
function toLinear(text: string): readonly [number, number, number] {
  const [lightness = 0, chroma = 0, hue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number)
  const L = lightness / 100
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const x = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const y = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const z = (L - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
    -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
    -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
  ]
}

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(front: string, back: string, theme: Theme): number {
  const [high = 0, low = 0] = [front, back]
    .map((name) => {
      const [r, g, b] = toLinear(tokens.get(name)?.[theme] ?? '').map((part) =>
        Math.min(1, Math.max(0, part)),
      )
      return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0)
    })
    .sort((one, other) => other - one)
  return (high + 0.05) / (low + 0.05)
}

const grounds = ['canvas', 'surface', 'raised', 'sunken']
const filled = [...grounds, 'hover']
const code = ['surface', 'raised', 'sunken', 'add-soft', 'del-soft']
const soft = ['accent-soft', 'on-soft', 'draft-soft', 'danger-soft', 'add-soft', 'del-soft']
const variants = Array.from({ length: 8 }, (_, place) => `v${place + 1}`)

/** What is written or drawn on what: 4.5 for text, 3 for marks and the frames of controls. */
const pairs: readonly (readonly [
  least: number,
  fronts: readonly string[],
  backs: readonly string[],
])[] = [
  [4.5, ['text', 'muted', 'faint', 'accent', 'on', 'draft', 'danger'], filled],
  [4.5, ['text', 'muted'], ['pressed', ...soft]],
  [4.5, ['accent'], ['accent-soft']],
  [4.5, ['on'], ['on-soft', 'add-soft']],
  [4.5, ['draft'], ['draft-soft']],
  [4.5, ['danger'], ['danger-soft', 'del-soft']],
  [4.5, ['on-ink'], ['ink', 'ink-hover']],
  [4.5, ['on-accent'], ['accent']],
  [4.5, ['on-danger'], ['danger-fill', 'danger-fill-hover']],
  [4.5, ['code-key', 'code-string', 'code-number'], code],
  [4.5, ['v-label'], variants],
  [3, ['control', 'focus', 'accent-mark', 'on-mark', 'draft-mark', 'danger-mark', 'ink'], grounds],
  [3, ['accent-mark'], ['accent-soft']],
  [3, ['on-mark'], ['on-soft']],
  [3, ['draft-mark'], ['draft-soft']],
  [3, ['danger-mark'], ['danger-soft']],
  [3, variants, ['surface', 'raised', 'sunken']],
]

for (const theme of ['light', 'dark'] as const) {
  t.test(`every pair of colours that is used can be read: ${theme}`, async (t) => {
    for (const [least, fronts, backs] of pairs) {
      for (const front of fronts) {
        for (const back of backs) {
          t.ok(tokens.has(front) && tokens.has(back), `${front} and ${back} are tokens`)
          const ratio = contrast(front, back, theme)
          t.ok(ratio >= least, `${front} on ${back}: ${ratio.toFixed(2)} of ${least}`)
        }
      }
    }
  })

  t.test(`every colour can be shown: ${theme}`, async (t) => {
    for (const [name, value] of tokens) {
      if (value[theme].includes('/')) continue
      const isInside = toLinear(value[theme]).every((part) => part > -0.002 && part < 1.002)
      t.ok(isInside, `${name} is inside of sRGB`)
    }
  })
}
