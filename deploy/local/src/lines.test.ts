import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import t from 'tap'
import { onLines } from './lines.ts'

async function split(chunks: readonly (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  onLines(stream, (line) => lines.push(line))
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await finished(stream)
  return lines
}

t.test('gives each line once, however it arrives', async (t) => {
  t.strictSame(await split(['one\ntw', 'o\nth', 'r', 'ee']), ['one', 'two', 'three'])
  t.strictSame(await split(['one\n\nthree\n']), ['one', '', 'three'])
  t.strictSame(await split([]), [])
})

t.test('does not tear characters apart', async (t) => {
  const bytes = Buffer.from('größer\n')
  t.strictSame(await split([bytes.subarray(0, 3), bytes.subarray(3)]), ['größer'])
})

t.test('gives an endless line in pieces', async (t) => {
  const lines = await split(Array.from({ length: 100 }, () => 'x'.repeat(10_000)))
  t.equal(lines.join('').length, 1_000_000)
  t.ok(lines.every((line) => line.length <= 65_536))
})
