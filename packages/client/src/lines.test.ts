import t from 'tap'
import { LineSplitter, readLines } from './lines.ts'
import { Slices } from './slices.ts'

t.test('a line without end is refused', async (t) => {
  const splitter = new LineSplitter(() => {})
  const piece = new Uint8Array(16 * 2 ** 20).fill(97)
  const refused = () => {
    for (let i = 0; i < 5; i++) splitter.push(piece)
  }
  t.throws(refused, { name: 'SvcError', code: 8 })
})

t.test('a body is read in slices, its last line also without a line break', async (t) => {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of ['a\nb', 'c\n\nd']) controller.enqueue(encoder.encode(piece))
      controller.close()
    },
  })
  const lines: string[] = []
  const pieces: number[] = []
  const take = (line: string) => void lines.push(line)
  await readLines(body, new Slices(), take, () => void pieces.push(lines.length))
  t.strictSame(lines, ['a', 'bc', '', 'd'])
  t.strictSame(pieces, [1, 3, 4])
})

t.test('a body that is of no use is not read on', async (t) => {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('a\n')),
    cancel() {
      isCancelled = true
    },
  })
  const take = () => {
    throw new Error('not this')
  }
  await t.rejects(
    readLines(body, new Slices(), take, () => {}),
    { message: 'not this' },
  )
  t.equal(isCancelled, true)
})
