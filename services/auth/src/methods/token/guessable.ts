/**
 * Whether a secret that a person chose is likely weaker than 128 random bits. An estimate from
 * the kinds of characters and from how many different ones there are: good for a warning.
 */
export function isGuessable(secret: string): boolean {
  const alphabet = /^[0-9a-f]*$/.test(secret) ? 16 : sizeOfAlphabet(secret)
  // Random text of this length repeats itself; text with few different characters is not random.
  const plausible = Math.min(alphabet, 2 * new Set(secret).size)
  return secret.length * Math.log2(Math.max(plausible, 1)) < 128
}

function sizeOfAlphabet(secret: string): number {
  const kinds: [RegExp, number][] = [
    [/[0-9]/, 10],
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[^0-9a-zA-Z]/, 32],
  ]
  return kinds.reduce((sum, [kind, size]) => sum + (kind.test(secret) ? size : 0), 0)
}
