import { readFile } from 'node:fs/promises'
import t from 'tap'
import { exitCodes } from './exit-codes.ts'
import { loadCommands } from './groups.ts'
import { toReference } from './reference.ts'

t.test(
  'docs/cli.md is what the commands are; `pnpm --filter @svc/cli generate` writes it',
  async (t) => {
    const written = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
    t.equal(await toReference(), written)
  },
)

t.test('it names each exit code', async (t) => {
  const reference = await toReference()
  for (const code of Object.values(exitCodes)) t.match(reference, `\n| ${code} | `)
})

t.test('commands', async (t) => {
  const loaded = await loadCommands()
  const names = loaded.map(({ command }) => command.name)
  t.strictSame(names, [...new Set(names)], 'have names of their own')
  for (const { group, command } of loaded) {
    const { name, summary, examples, isHidden } = command
    t.ok(
      Object.hasOwn(group.words, name.split(' ')[0] ?? ''),
      `${name} is loaded by its first word`,
    )
    t.notMatch(summary, /\.$|^[A-Z]/, `the summary of ${name} is a part of a sentence`)
    if (isHidden) continue
    t.ok(examples.length > 0, `${name} has an example`)
    const isNamed = examples.some(({ line }) => line.includes(`svc ${name}`))
    t.ok(isNamed, `an example of ${name} is of it`)
  }
})
