/** A colour of the palette with its pattern. `on` is a boolean flag's On, `none` what no variant has. */
export type Hue = 'on' | 'none' | 'v1' | 'v2' | 'v3' | 'v4' | 'v5' | 'v6' | 'v7' | 'v8'

const hues: readonly Hue[] = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8']

/** The colour of a variant, by its place among those of the flag. */
export function hueOf(place: number): Hue {
  return hues[place % hues.length] ?? 'none'
}

/** A part of 100. */
export interface Share {
  /** What its part is called. */
  readonly name: string
  readonly hue: Hue
  /** 0 to 100. */
  readonly percentage: number
  /** `new`: what a draft adds. `taken`: what goes to another rule. */
  readonly look?: 'new' | 'taken'
  /** What stands on it. @default its name and its share; nothing where it has a look */
  readonly label?: string
}
