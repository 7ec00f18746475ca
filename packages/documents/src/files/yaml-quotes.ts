/** Words that are no text: in YAML 1.1, which the established service reads, or in YAML 1.2. */
const words = new Set([
  ...['', '~', '<<', 'null', 'Null', 'NULL', 'y', 'Y', 'n', 'N'],
  ...['yes', 'Yes', 'YES', 'no', 'No', 'NO', 'on', 'On', 'ON', 'off', 'Off', 'OFF'],
  ...['true', 'True', 'TRUE', 'false', 'False', 'FALSE'],
  ...['.nan', '.NaN', '.NAN', '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'],
  ...['-.inf', '-.Inf', '-.INF'],
])

/** Numbers, some of them with `_` between digits, and those of base 60, such as `12:30`. */
const numbers = [
  /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/,
  /^[-+]?0(?:[xX][\dA-Fa-f]+|[oO][0-7]+|[bB][01]+)$/,
  /^[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?$/,
]

const timestamp =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d*)?[ \t]*(?:Z|[-+]\d{1,2}(?::\d{2})?)?)?$/

/** Whether every reader takes it for text where it is not quoted. */
export function isTextToAll(text: string): boolean {
  if (words.has(text) || timestamp.test(text)) return false
  // Most texts begin with a letter.
  if (!/^[-+.\d]/.test(text)) return true
  const digits = text.replaceAll('_', '')
  return !numbers.some((number) => number.test(digits))
}

/** Whether it may stand without quotes, as far as its characters are concerned. */
export function isPlainText(text: string): boolean {
  return !/^[\t ,[\]{}#&*!|>'"%@`]|^[?:-](?:[ \t]|$)|:[ \t]|[ \t]#|[ \t:]$/.test(text)
}
