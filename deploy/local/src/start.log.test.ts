import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LogFile } from './start.log.ts'

t.test('goes on where the last one ended', async (t) => {
  const path = join(t.testdir({}), 'server.log')
  for (const line of ['one', 'two']) {
    const log = new LogFile(path)
    log.write(line)
    log.close()
  }
  t.equal(readFileSync(path, 'utf8'), 'one\ntwo\n')
})

t.test('keeps its size within bounds, and the latest lines', async (t) => {
  const path = join(t.testdir({}), 'server.log')
  const log = new LogFile(path, 1000)
  for (let i = 0; i < 1000; i++) log.write(`line ${i}`)
  log.close()
  const [now, before] = [path, `${path}.1`].map((file) => readFileSync(file, 'utf8'))
  t.ok(statSync(path).size <= 1010 && statSync(`${path}.1`).size <= 1010)
  const kept = `${before}${now}`.trim().split('\n')
  t.equal(kept.at(-1), 'line 999')
  t.equal(kept[0], `line ${1000 - kept.length}`, 'without a gap')
})

t.test('is for its owner only', async (t) => {
  const path = join(t.testdir({}), 'server.log')
  new LogFile(path).close()
  t.equal(statSync(path).mode & 0o777, 0o600)
})
