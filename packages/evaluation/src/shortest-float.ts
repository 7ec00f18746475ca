/**
 * The shortest decimal that stands for the same 32-bit float: 33.33 and not 33.33000183105469.
 *
 * @param value what a 32-bit float became as a JavaScript number
 */
export function shortestFloat(value: number): number {
  // Whole numbers and halves are the most, and exact as they are.
  if (Number.isInteger(value * 2) && Math.abs(value) < 2 ** 24) return value
  // Floats are closer together there than four decimals, so no other decimal with so few is this one.
  const fourDecimals = Math.round(value * 1e4) / 1e4
  if (Math.abs(value) < 512 && Math.fround(fourDecimals) === value) return fourDecimals
  // Nine digits are enough for every 32-bit float.
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits))
    if (Math.fround(shorter) === value) return shorter
  }
  return Number(value.toPrecision(9))
}
