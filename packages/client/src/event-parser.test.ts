import t from 'tap'
import { EventParser } from './event-parser.ts'
import { LineSplitter } from './lines.ts'

/** What is told of a text, when it comes in pieces of some length. */
function read(text: string, pieceLength: number): unknown[] {
  const told: unknown[] = []
  const parser = new EventParser({
    data: (line, event) => told.push(['data', event, line]),
    end: (event, id) => told.push(['end', event, id]),
    comment: () => told.push('comment'),
  })
  const splitter = new LineSplitter((line) => parser.push(line))
  const bytes = new TextEncoder().encode(text)
  for (let start = 0; start < bytes.length; start += pieceLength) {
    splitter.push(bytes.subarray(start, start + pieceLength))
  }
  return told
}

t.test('events are read, however they are cut into pieces', async (t) => {
  const text =
    'retry: 1000\nid: 41\n\n' +
    ':\n\n' +
    'id: 42\nevent: whole\ndata: {"ü":[\ndata: "🙂"\ndata:]}\n\n' +
    'data:  two spaces\nunknown: field\nevent: late\n\n' +
    '\n' +
    'event: without data\n\n' +
    'data: unfinished\n'
  const expected = [
    ['end', 'message', '41'],
    'comment',
    ['data', 'whole', '{"ü":['],
    ['data', 'whole', '"🙂"'],
    ['data', 'whole', ']}'],
    ['end', 'whole', '42'],
    ['data', 'message', ' two spaces'],
    ['end', 'late', undefined],
    ['data', 'message', 'unfinished'],
  ]
  for (const length of [1, 2, 3, 7, 1000]) t.strictSame(read(text, length), expected, `${length}`)
})
