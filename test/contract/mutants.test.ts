import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mutants } from '../mutation/mutants.ts'

const root = join(import.meta.dirname, '../../..')

t.test('each mutant fits the code as it is: what it changes stands there once', async (t) => {
  for (const { name, compiled, from } of mutants) {
    t.equal(readFileSync(join(root, compiled), 'utf8').split(from).length - 1, 1, name)
  }
})
