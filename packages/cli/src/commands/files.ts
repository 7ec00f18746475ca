import { isAbsolute, join } from 'node:path'
import { type Command, defineCommand } from '../command.ts'
import { CliError, type ExitCode, exitCodes } from '../exit-codes.ts'
import { argument, option } from '../options.ts'
import { deletionsOption } from '../outcome.ts'

const exportCommand = defineCommand({
  name: 'export',
  summary: 'write namespaces to a file',
  description: `Flags and segments of one or several namespaces, as YAML or JSON. Each namespace is of one revision. \`svc import\` reads the file, here and elsewhere. A file says who has written it, and when; SOURCE_DATE_EPOCH fixes that time, so that equal contents are equal files.`,
  options: {
    output: option.text(
      '-o, --output FILE',
      'write to a file instead of stdout; .yml, .yaml or .json says what',
      { completes: 'files' },
    ),
    namespaces: option.list('--namespaces KEYS', 'these namespaces, with commas between them', {
      completes: 'namespaces',
    }),
    allNamespaces: option.flag('--all-namespaces', 'all namespaces'),
    sortByKey: option.flag('--sort-by-key', 'sort namespaces, flags, variants and segments by key'),
  },
  examples: [
    { line: 'svc export -o flags.yml', text: 'the namespace, to a file' },
    { line: 'svc export --all-namespaces -o backup.yml', text: 'everything' },
    { line: 'svc export --json', text: 'as JSON, to stdout' },
  ],
  async run(context, { namespaces, ...options }) {
    const { exportFiles } = await import('../files/export.ts')
    const keys = namespaces.flatMap((list) => list.split(',')).filter((key) => key !== '')
    await exportFiles(context, { ...options, namespaces: keys })
  },
})

const importCommand = defineCommand({
  name: 'import',
  summary: 'create what is in files',
  description: `Reads what \`svc export\` and the established v1 service have exported, YAML or JSON, and creates all of it in one transaction, over all namespaces, or nothing at all. Namespaces that do not exist are made first. An object that exists and differs is refused, and all of those are listed: exit code 4. One that is equal is no conflict, so that an import may be repeated.\n\nWith --prune, members that mean nothing are refused. So is, with 4, a plan that deletes more than ten objects, and more than a tenth of a namespace, unless --max-deletions allows it. A dry run shows it first.`,
  arguments: {
    files: argument.any('FILE', 'a file, a folder with files, or - for stdin', {
      completes: 'files',
    }),
  },
  options: {
    dryRun: option.flag('--dry-run', 'print what would change, and change nothing'),
    exitCode: option.flag('--exit-code', 'with --dry-run: end with 3 when something would change'),
    skipExisting: option.flag('--skip-existing', 'leave objects alone that exist'),
    replace: option.flag(
      '--replace',
      'set objects that exist and differ, and the names of namespaces',
    ),
    prune: option.flag(
      '--prune',
      'delete what the namespaces of the files have and the files do not',
    ),
    maxDeletions: deletionsOption,
    stdin: option.flag('--stdin', 'read stdin: the same as -'),
    drop: option.flag('--drop', 'not supported: see --replace --prune'),
  },
  examples: [
    {
      line: 'svc import flags.yml --dry-run',
      text: 'what it would change',
    },
    { line: 'svc import flags.yml --comment "moved from v1"', text: 'and do it' },
    { line: 'svc import flags.yml --replace --prune', text: 'make it as it is in the file' },
  ],
  async run(context, { files, stdin, drop, ...options }): Promise<ExitCode> {
    if (drop) {
      throw new CliError(
        exitCodes.usage,
        '--drop is not supported: it would delete what other namespaces have',
        'Use --replace --prune: the namespaces of the files are then as in the files, in one transaction.',
      )
    }
    if (options.skipExisting && options.replace) {
      throw new CliError(exitCodes.usage, '--skip-existing and --replace exclude each other')
    }
    const names = stdin ? [...files, '-'] : files
    if (names.length === 0) {
      throw new CliError(
        exitCodes.usage,
        'import filename required',
        'Name a file, or give --stdin.',
      )
    }
    const { importFiles } = await import('../files/import.ts')
    const { readInputs } = await import('../files/inputs.ts')
    return importFiles(context, await readInputs(context.terminal, names), options)
  },
})

const validateCommand = defineCommand({
  name: 'validate',
  summary: 'check files without a service',
  description: `Says what \`svc import\` would refuse, with file, line and column: the form, members that there are not, keys that come twice, operators, and variants and segments that no file has. Whether the value of a constraint suits its type is checked by the service.`,
  arguments: {
    files: argument.any(
      'FILE',
      'a file, a folder with files, or - for stdin; left out: --work-dir',
      {
        completes: 'files',
      },
    ),
  },
  options: {
    issueExitCode: option.wholeNumber(
      '--issue-exit-code CODE',
      'what to end with when something is wrong; 1 unless given',
      { maximum: 255 },
    ),
    format: option.choice('-F, --format FORMAT', 'how to tell what is wrong', ['text', 'json']),
    workDir: option.text(
      '-d, --work-dir FOLDER',
      'where the files are; the current folder unless given',
      {
        completes: 'files',
      },
    ),
    extraSchema: option.text(
      '-e, --extra-schema FILE',
      'not supported: schemas of CUE are not read',
    ),
  },
  examples: [{ line: 'svc validate flags.yml', text: 'one file' }],
  async run({ terminal, output }, { files, issueExitCode, format, workDir, extraSchema }) {
    if (extraSchema !== undefined) {
      throw new CliError(
        exitCodes.usage,
        '--extra-schema is not supported: schemas of CUE are not read',
        '`svc export --json` gives a value a line, which any checker of JSON takes.',
      )
    }
    const { readInputs } = await import('../files/inputs.ts')
    const { validateFiles } = await import('../files/validate.ts')
    const names = files.length === 0 ? [workDir ?? '.'] : inFolder(files, workDir)
    const isJson = format === 'json' || output.isJson
    const isValid = validateFiles(output, await readInputs(terminal, names), isJson)
    // Whichever number was asked for.
    return isValid ? exitCodes.done : ((issueExitCode ?? exitCodes.failed) as ExitCode)
  },
})

function inFolder(names: readonly string[], folder: string | undefined): readonly string[] {
  if (folder === undefined) return names
  return names.map((name) => (name === '-' || isAbsolute(name) ? name : join(folder, name)))
}

export const commands: readonly Command[] = [exportCommand, importCommand, validateCommand]
