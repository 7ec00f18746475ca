import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { findFreePort } from '@svc/local/ports'
import t from 'tap'
import { alive, launchOnTerminal, processesOf, tokenPattern } from './launcher.ts'

/** Without colours, and with the line breaks of a file. */
function plain(output: string): string {
  return stripVTControlCharacters(output).replaceAll('\r', '')
}

/** Runs the examples of the output as they stand there, and returns the status of each answer. */
function runExamples(output: string, env: Record<string, string> = {}): string[] {
  const text = plain(output)
  const [, block = ''] = /Try it\n([\s\S]*?)\n {2}\S/.exec(text) ?? []
  const curl = `curl() { command curl -sS -o /dev/null -w '%{http_code}\\n' "$@"; }`
  const commands = `${curl}\n${block}`
  const answers = execFileSync('bash', ['-euc', commands], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  })
  return answers.trim().split('\n')
}

t.test('on a terminal', async (t) => {
  const data = join(t.testdir({}), 'data')
  const port = await findFreePort()
  const args = ['--port', String(port), '--data', data]
  let token = ''

  await t.test('prints what there is to know, and examples that work', async (t) => {
    const first = launchOnTerminal(t, args)
    await first.says(/Ready in/)
    const tokens = first.output().match(tokenPattern) ?? []
    token = tokens[0] ?? ''
    t.equal(new Set(tokens).size, 1)
    t.strictSame(runExamples(first.output()), ['200', '200', '200'])
    t.equal(readFileSync(join(data, 'server.log'), 'utf8').match(tokenPattern)?.length, 1)
    const wide = plain(first.output())
      .split('\n')
      // A path is as long as it is.
      .filter((line) => line.length > 80 && !/^ {2}(Data|Logs) /.test(line))
    t.strictSame(wide, [])

    const processes = processesOf(data)
    first.type('\u0003')
    await first.ended()
    t.strictSame(alive(processes), [])
  })

  await t.test('prints no secret the second time', async (t) => {
    const second = launchOnTerminal(t, args, { NO_COLOR: '1' })
    await second.says(/Ready in/)
    t.notMatch(second.output(), tokenPattern)
    t.notMatch(second.output(), '\u001b')
    t.match(second.output(), /Token +already created/)
    t.strictSame(runExamples(second.output(), { SVC_TOKEN: token }), ['200', '200'])
  })

  await t.test('loads demo data once, when it has a token', async (t) => {
    const without = launchOnTerminal(t, [...args, '--demo'])
    await without.says(/Demo data needs a token in SVC_TOKEN: npm start -- --new-token/)
    await without.says(/Ready in/)
    without.type('\u0003')
    await without.ended()
    for (let i = 0; i < 2; i++) {
      const demo = launchOnTerminal(t, [...args, '--demo'], { SVC_TOKEN: token })
      await demo.says(/Demo data is loaded +2 namespaces, 7 flags, 3 segments/)
      await demo.says(/Ready in/)
      t.strictSame(runExamples(demo.output(), { SVC_TOKEN: token }), ['200', '200', '200'])
      demo.type('\u0003')
      await demo.ended()
    }
  })
})
