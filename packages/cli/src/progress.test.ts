import t from 'tap'
import { Progress } from './progress.ts'
import { openTerminal } from './run.test.support.ts'

/** Runs something that is over once it is on the terminal, or after a moment where it is not shown. */
async function show(isTerminal: boolean, isQuiet: boolean): Promise<string> {
  const { terminal, stderr } = openTerminal({ isTerminal })
  const result = await new Progress(terminal, isQuiet, 0).show('importing', async (update) => {
    update('4,000 of 10,000 flags')
    const attempts = isTerminal && !isQuiet ? 1000 : 10
    for (let i = 0; i < attempts && stderr() === ''; i++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return 42
  })
  t.equal(result, 42)
  return stderr()
}

t.test('progress is a line of the terminal, which goes when the work is done', async (t) => {
  const written = await show(true, false)
  t.match(written, /importing · 4,000 of 10,000 flags · 0 s/)
  t.ok(written.endsWith('\r\u001b[K'))
})

t.test('it is not shown elsewhere, nor with --quiet', async (t) => {
  t.equal(await show(false, false), '')
  t.equal(await show(true, true), '')
})

t.test('what fails leaves no line behind', async (t) => {
  const { terminal, stderr } = openTerminal({ isTerminal: true })
  const work = async () => {
    while (stderr() === '') await new Promise((resolve) => setTimeout(resolve, 20))
    throw new Error('no')
  }
  await t.rejects(new Progress(terminal, false, 0).show('importing', work), { message: 'no' })
  t.ok(stderr().endsWith('\r\u001b[K'))
})
