import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { appendToLog } from './start.log.ts'

t.test('keeps its size within bounds, and the latest lines, for its owner only', async (t) => {
  const path = join(t.testdir({}), 'server.log')
  for (let i = 0; i < 1000; i++) appendToLog(path, `line ${i}`, 1000)
  const [now, before] = [path, `${path}.1`].map((file) => readFileSync(file, 'utf8'))
  t.ok(statSync(path).size <= 1010 && statSync(`${path}.1`).size <= 1010)
  const kept = `${before}${now}`.trim().split('\n')
  t.equal(kept.at(-1), 'line 999')
  t.equal(kept[0], `line ${1000 - kept.length}`, 'without a gap')
  t.equal(statSync(path).mode & 0o777, 0o600)
})

t.test('does nothing where nothing can be written', async (t) => {
  t.doesNotThrow(() => appendToLog(join(t.testdir({}), 'gone', 'server.log'), 'line'))
})
