import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LogOutput } from './log-output.ts'
import { createLogger } from './logging.ts'
import { fakeTime } from './testing.ts'

/** An output that takes so many bytes, and then none until it is given more. */
function openOutput(onDropped: (count: number) => void = () => {}) {
  let written = ''
  let room = 0
  const output = new LogOutput(1, onDropped, (_fd, bytes) => {
    if (room === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' })
    const part = bytes.subarray(0, room)
    room -= part.length
    written += part.toString()
    return part.length
  })
  return {
    output,
    read: () => written,
    give: (bytes: number) => {
      room = bytes
    },
  }
}

t.test('what the output does not take is written when it does, in order and whole', async (t) => {
  const advance = fakeTime(t)
  const { output, read, give } = openOutput()
  give(7)
  for (const line of ['one\n', 'two\n', 'three\n']) output.write(line)
  t.equal(read(), 'one\ntwo')
  give(100)
  output.write('four\n')
  t.equal(read(), 'one\ntwo', 'a line does not overtake')
  await advance(100)
  t.equal(read(), 'one\ntwo\nthree\nfour\n')
})

t.test('beyond the bound lines are dropped and counted', async (t) => {
  const advance = fakeTime(t)
  const counts: number[] = []
  const { output, read, give } = openOutput((count) => counts.push(count))
  const line = `${'x'.repeat(2 ** 10 - 1)}\n`
  for (let i = 0; i < 1500; i += 1) output.write(line)
  t.equal(output.dropped, 476)
  give(2 ** 30)
  await advance(100)
  t.equal(read().length, 2 ** 20)
  t.strictSame(counts, [476])
  t.equal(output.dropped, 0)
})

t.test('a pipe that is not read blocks nothing, and says so when it is', async (t) => {
  const path = join(t.testdir({}), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  t.teardown(() => {
    for (const fd of [reader, writer]) closeSync(fd)
  })
  const log = createLogger({ level: 'info', encoding: 'json' }, 'test', writer)
  for (let i = 0; i < 5000; i += 1) log.info({ text: 'x'.repeat(500) }, 'line')
  const bytes = Buffer.alloc(2 ** 16)
  let text = ''
  for (let tries = 0; tries < 200 && !text.includes('were dropped'); tries += 1) {
    try {
      text += bytes.toString('utf8', 0, readSync(reader, bytes))
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { dropped?: number })
  const { dropped = 0 } = lines.at(-1) ?? {}
  t.ok(dropped > 1000, `${dropped} lines were dropped`)
  t.equal(lines.length - 1 + dropped, 5000)
})

t.test('lines are appended to a file', async (t) => {
  const path = join(t.testdir({ log: 'before\n' }), 'log')
  const fd = openSync(path, 'a')
  t.teardown(() => closeSync(fd))
  createLogger({ level: 'info', encoding: 'json' }, 'test', fd).info('after')
  t.match(readFileSync(path, 'utf8'), /^before\n\{.*"msg":"after"\}\n$/)
})
