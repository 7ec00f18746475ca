import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCommands } from '@svc/cli/groups'
import t from 'tap'
import { type CliContent, CliService } from '../support/cli-content.ts'
import { CliShell, type Ended } from '../support/cli-shell.ts'
import { readFixture } from '../support/fixtures.ts'
import { call } from '../support/http.ts'
import { bearer, isReady, launch, tokenPattern } from './launcher.ts'

// This file is test/dist/e2e/cli.slow.test.js.
const files = fileURLToPath(new URL('../../fixtures/cli', import.meta.url))

t.test('every example of svc -h', async (t) => {
  const home = t.testdir({})
  const directory = join(home, 'work')
  const launched = launch(t, ['--port', '0', '--data', join(home, 'data')])
  const { url, token: first } = await isReady(launched)
  // The first token is printed by design; the examples use one that is printed nowhere.
  const made = await call(url, 'POST', '/auth/v1/method/token', { name: 'person' }, bearer(first))
  const token = String(Reflect.get(Object(made.body), 'clientToken'))
  const content = readFixture<CliContent>('cli')
  const service = new CliService(content, { url, token })
  await service.fill()
  const env = { SVC_URL: url, SVC_TOKEN: token }
  const shell = await CliShell.open({ directory, home, env })
  const secrets = new Set([token])
  const reset = async () => {
    await service.reset()
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory)
    await cp(files, directory, { recursive: true })
  }

  for (const { command } of await loadCommands()) {
    if (command.isHidden) continue
    await t.test(command.name, async (t) => {
      t.ok(command.examples.length > 0, 'there is one')
      for (const { line, exitCode = 0 } of command.examples) {
        await reset()
        const asText = await shell.run(line)
        t.equal(asText.code, exitCode, `${line}\n${asText.stdout}${asText.stderr}`)
        for (const found of await tokensIn(directory, asText)) secrets.add(found)
        if (exitCode === 0 || exitCode === 3) t.notMatch(asText.stderr, /warning|error/i, line)

        await reset()
        const asJson = await shell.run(withJson(line))
        t.equal(asJson.code, exitCode, `${withJson(line)}\n${asJson.stderr}`)
        t.doesNotThrow(() => readJson(asJson.stdout), `${line}: ${asJson.stdout.slice(0, 500)}`)
        for (const found of await tokensIn(directory, asJson)) secrets.add(found)
      }
    })
  }

  await t.test('exit codes say what happened', async (t) => {
    await reset()
    const lines: readonly [line: string, exitCode: number][] = [
      ['svc flags get nothing', 1],
      ['svc flags list > /dev/full', 1],
      ['svc flags list --json | true', 0],
      ['svc flgs', 2],
      ['svc flags create checkout', 4],
      ['SVC_TOKEN= svc flags list', 5],
      ['SVC_TOKEN=svc_wrong svc flags on checkout', 5],
      ['svc flags list --url http://127.0.0.1:1', 6],
    ]
    for (const [line, exitCode] of lines) {
      const { code, stdout, stderr } = await shell.run(line)
      t.equal(code, exitCode, `${line}\n${stderr}`)
      t.equal(stdout, '', line)
    }
  })

  await t.test('the state of a flag is told as it is live', async (t) => {
    await reset()
    const { stdout } = await shell.run('svc flags off checkout && svc flags on checkout')
    t.match(stdout, /^checkout is on in default · revision \d+ · live on 1\/1, \d+ ms$/m)
  })

  await t.test('no secret is where others could read it', async (t) => {
    t.ok(secrets.size > 2, 'tokens were made')
    const seen = [...shell.seen].join('\n')
    t.match(seen, 'flags\0list', 'processes were looked at')
    // Logins are kept, where only the user can read them.
    const kept = await textsBelow(home, ['data', 'work', '.config/svc'])
    t.equal((await stat(join(home, '.config/svc'))).mode & 0o77, 0)
    for (const secret of secrets) {
      t.notOk(seen.includes(secret), 'in arguments, or the environment of a child')
      t.notOk(launched.output().includes(secret), 'in a log')
      t.notOk(launched.errors().includes(secret), 'in a log')
      t.notOk(kept.includes(secret), 'in a file that stays')
    }
  })
})

/** What is redirected to a file is read as well. */
function withJson(line: string): string {
  return `${line.replace(/ > \S+$/, '')} --json`
}

/** One value, or one on each line. */
function readJson(text: string): unknown {
  if (text.trim() === '') return undefined
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function tokensIn(directory: string, { stdout, stderr }: Ended): Promise<readonly string[]> {
  const texts = [stdout, stderr, await textsBelow(directory, [])].join('\n')
  return texts.match(tokenPattern) ?? []
}

/** The content of all files of a folder, but for those in some folders of it. */
async function textsBelow(folder: string, but: readonly string[]): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !but.some((name) => file.startsWith(join(folder, name))))
    .map((file) => readFile(file, 'utf8'))
  return (await Promise.all(texts)).join('\n')
}
