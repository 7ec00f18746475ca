import type { Command } from './command.ts'
import { globalOptions, hiddenOptions } from './global-options.ts'
import { groupTitles, loadCommands } from './groups.ts'
import type { Argument, Option } from './options.ts'
import { toOptionText } from './program.ts'

/** What stands before the commands. */
const introduction = `# Command line

<!-- Made of the commands by \`pnpm --filter @svc/cli generate\`: change packages/cli/src/reference.ts and the commands. -->

\`svc\` does from a terminal or a pipeline what the interface does: flags on and off, history and undo, files in a
repository, tokens. It needs Node.js 20.19 or later.

\`\`\`sh
npx @svc/cli login --url http://localhost:8080   # or SVC_URL and SVC_TOKEN, in a pipeline
npx @svc/cli flags on checkout
\`\`\`

\`\`\`
checkout is on in default · revision 42 · live on 3/3, 41 ms
\`\`\`

A write waits until every gateway has it, for three seconds at most. It is done in any case: the last part says how far
it is.

## Where, as whom, in which namespace

| What | Option | Variable | Otherwise |
|---|---|---|---|
| Address | \`--url\`, \`-a\`, \`--address\` | \`SVC_URL\` | of the profile, else \`http://localhost:8080\` |
| Token | \`--token-file FILE\` (\`-\` is stdin) | \`SVC_TOKEN\` | of the profile, if the address is the profile's |
| Namespace | \`-n\`, \`--namespace\` | \`SVC_NAMESPACE\` | of the profile, else \`default\` |
| Profile | \`--profile NAME\` | | the one of the last \`svc login\` |

Options go before variables, and so does a profile that is named by \`--profile\`.

\`-t TOKEN\` still works, with a warning: others on the machine can read the arguments of a process. A token goes to the
address that it was given for, and is never in the arguments of a process that \`svc\` starts.

## For programs

\`--json\` prints one JSON value; lists print one on each line (NDJSON). What is said besides goes to stderr: also errors,
which \`--json\` makes one line of JSON with \`message\`, \`hint\`, \`exitCode\` and the \`status\` of the service. \`--quiet\` says
nothing but results and errors. There are colours on a terminal only, and none with \`NO_COLOR\`.

| Exit code | Means |
|---|---|
| 0 | done |
| 1 | the service refused it, or it could not be done |
| 2 | the command line, a setting or a file is wrong; nothing was sent |
| 3 | there are differences: \`diff\`, \`--exit-code\`, or a chain that is broken |
| 4 | conflict: it has changed, exists already, or is kept by another manager (409, 412) |
| 5 | not allowed: no credential, or one that may not (401, 403) |
| 6 | unavailable: no answer, or the service cannot answer now (429, 502, 503, 504) |
| 130 | ended by Ctrl-C |

After 6 a write may have been done: look before you repeat it.
`

/** `docs/cli.md`. */
export async function toReference(): Promise<string> {
  const loaded = (await loadCommands()).filter(({ command }) => !command.isHidden)
  const titles = groupTitles.filter((title) => loaded.some(({ group }) => group.title === title))
  const sections = titles.map((title) => {
    const commands = loaded.filter(({ group }) => group.title === title)
    return [`## ${title}`, ...commands.map(({ command }) => toSection(command))].join('\n\n')
  })
  const globals = Object.entries(globalOptions)
    .filter(([name]) => !hiddenOptions.has(name))
    .map(([, option]) => toOptionRow(option))
  return [
    introduction.trimEnd(),
    ['## Options of every command', table('Option', globals)].join('\n\n'),
    ...sections,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}

function toSection(command: Command): string {
  const { name, summary, description, examples } = command
  const args = Object.values(command.arguments ?? {})
  const options = Object.values(command.options ?? {})
  const usage = ['svc', name, ...args.map(toUsage), ...(options.length > 0 ? ['[options]'] : [])]
  return [
    `### svc ${name}`,
    `\`${usage.join(' ')}\`: ${summary}.`,
    ...(description === undefined ? [] : [toParagraphs(description)]),
    ...(args.length === 0 ? [] : [table('Argument', args.map(toArgumentRow))]),
    ...(options.length === 0 ? [] : [table('Option', options.map(toOptionRow))]),
    ['```sh', ...examples.flatMap(({ line, text }) => [`# ${text}`, line]), '```'].join('\n'),
  ].join('\n\n')
}

function toUsage({ label, isRequired, isVariadic }: Argument<unknown>): string {
  const inner = isVariadic ? `${label}…` : label
  return isRequired ? inner : `[${inner}]`
}

type Row = readonly [name: string, text: string]

function toArgumentRow({ label, text }: Argument<unknown>): Row {
  return [`\`${label}\``, text]
}

function toOptionRow(option: Option<unknown>): Row {
  const required = option.isRequired ? ' (required)' : ''
  return [`\`${option.flags}\``, `${toOptionText(option)}${required}`]
}

function table(title: string, rows: readonly Row[]): string {
  const escaped = rows.map(([name, text]) => `| ${name} | ${text.replaceAll('|', '\\|')} |`)
  return [`| ${title} | |`, '|---|---|', ...escaped].join('\n')
}

/** Lines that are indented, such as a table of settings, stay as they are. */
function toParagraphs(description: string): string {
  return description
    .split('\n\n')
    .map((paragraph) => {
      const lines = paragraph.split('\n')
      const start = lines.findIndex((line) => line.startsWith('  '))
      if (start === -1) return paragraph
      const before = lines.slice(0, start).join('\n')
      return [before, '', '```', ...lines.slice(start).map((line) => line.slice(2)), '```'].join(
        '\n',
      )
    })
    .join('\n\n')
}
