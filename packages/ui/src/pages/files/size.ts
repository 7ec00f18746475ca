const units = ['KiB', 'MiB'] as const

/** `41 KiB`, rounded up. @param number as the language writes it */
export function sizeText(bytes: number, number: (value: number) => string): string {
  const kib = Math.max(1, Math.ceil(bytes / 1024))
  const [value, unit] = kib < 1024 ? [kib, units[0]] : [Math.ceil(kib / 102.4) / 10, units[1]]
  return `${number(value)} ${unit}`
}
