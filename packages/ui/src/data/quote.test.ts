import { execFileSync } from 'node:child_process'
import t from 'tap'
import { quote } from './quote.ts'

t.test('a shell reads a quoted text as it was', async (t) => {
  for (const text of ["it's", '$(id)', '`id`', '"', '\\', 'a\nb', "'''"]) {
    t.equal(execFileSync('sh', ['-c', `printf %s ${quote(text)}`], { encoding: 'utf8' }), text)
  }
})
