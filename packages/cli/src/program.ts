import { Argument, CommanderError, Option, Command as Program } from 'commander'
import type { Command, Example } from './command.ts'
import { type GlobalValues, globalOptions, hiddenOptions } from './global-options.ts'
import type { Group, Loaded } from './groups.ts'
import { longName, type Option as OptionSpec } from './options.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** What a command line asks for. */
export interface Selection {
  readonly command: Command
  readonly given: GlobalValues
  /** The arguments and options of the command, by their names in its definition. */
  readonly values: Parameters<Command['run']>[1]
}

type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>

/**
 * The first word of a command line that is no option, nor its value; of `help WORD` the second. Without one, or
 * where a value is missing, nothing.
 */
export function findCommandWord(argv: readonly string[]): string | undefined {
  const { operands } = parseGlobalOptions(argv)
  return operands[0] === 'help' ? operands[1] : operands[0]
}

/** The global options on a line that may be unfinished. */
export function readGlobalOptions(argv: readonly string[]): GlobalValues {
  return toGlobalValues(parseGlobalOptions(argv).program)
}

function parseGlobalOptions(argv: readonly string[]) {
  const program = addOptions(new Program().exitOverride().configureOutput(silent), globalOptions)
  try {
    return { program, operands: program.parseOptions([...argv]).operands }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { program, operands: [] }
  }
}

const silent = { writeOut() {}, writeErr() {} }

/**
 * The parser and the help of commands.
 *
 * @param onSelect is told the command of a line that was parsed
 */
export function buildProgram(
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
  loaded: readonly Loaded[],
  onSelect: (selection: Selection) => void,
): Program {
  const program = new Program('svc')
    .usage('COMMAND [options]')
    .description('Feature flags from the command line.')
    .helpOption('-h, --help', 'show what there is, with examples')
    .version(versionText(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(toUsageError(text)),
    })
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => title })
    .showHelpAfterError('`svc -h` lists the commands; -h after a command shows its options.')
  addOptions(program, globalOptions)
  for (const { group, command } of loaded) addCommand(program, group, command, onSelect)
  for (const parent of program.commands.filter(({ commands }) => commands.length > 0)) {
    const verbs = parent.commands.map((command) => command.name())
    // One such as `changes` is a command itself.
    const own = parent.summary()
    parent.summary(
      `${own || `${parent.description()}:`} ${own ? `(also ${verbs})` : verbs.join(', ')}`,
    )
    parent.helpCommand(false)
  }
  return program
    .addHelpCommand(
      new Program('help')
        .argument('[COMMAND]')
        .description('show the help of a command')
        .helpGroup('Help:'),
    )
    .addHelpText('after', toExamples(firstSteps(loaded)))
}

/** Commands whose first examples stand below the list of all. */
const shownFirst = ['login', 'flags list', 'flags on', 'explain', 'doctor']

function firstSteps(loaded: readonly Loaded[]): readonly Example[] {
  return shownFirst.flatMap((name) => {
    const found = loaded.find(({ command }) => command.name === name)
    return found?.command.examples.slice(0, 1) ?? []
  })
}

function addCommand(
  program: Program,
  group: Group,
  command: Command,
  onSelect: (selection: Selection) => void,
): void {
  const words = command.name.split(' ')
  const name = words.at(-1) ?? ''
  const parent = words.length > 1 ? findParent(program, group, words[0] ?? '') : program
  const leaf = parent
    .command(name, { hidden: command.isHidden === true })
    .summary(command.summary)
    .description(
      [`${capitalized(command.summary)}.`, command.description ?? ''].join('\n\n').trim(),
    )
    .addHelpText('after', toExamples(command.examples))
  if (words.length === 1) leaf.helpGroup(`${group.title}:`)
  const argumentSpecs = Object.entries(command.arguments ?? {})
  for (const [, { label, text, isRequired, isVariadic }] of argumentSpecs) {
    const inner = isVariadic ? `${label}...` : label
    leaf.addArgument(new Argument(isRequired ? `<${inner}>` : `[${inner}]`, text))
  }
  addOptions(leaf, command.options ?? {})
  leaf.action(() => {
    const values: Record<string, unknown> = readOptions(leaf, command.options ?? {})
    for (const [index, [argumentName, spec]] of argumentSpecs.entries()) {
      const raw: unknown = leaf.processedArgs[index]
      values[argumentName] = spec.read(raw === undefined ? [] : [raw].flat().map(String))
    }
    onSelect({ command, given: toGlobalValues(leaf), values: values as Selection['values'] })
  })
}

function findParent(program: Program, group: Group, word: string): Program {
  const found = program.commands.find((command) => command.name() === word)
  if (found !== undefined) return found
  return program
    .command(word)
    .description(group.words[word] ?? '')
    .helpGroup(`${group.title}:`)
}

/** Every value of an option is collected: what several mean is decided by its `read`. */
function addOptions(program: Program, specs: OptionSpecs): Program {
  for (const [name, spec] of Object.entries(specs)) {
    const { takesValue, isRequired } = spec
    const flags = takesValue ? spec.flags.replace(/ (\S+)$/, ' <$1>') : spec.flags
    const option = new Option(flags, toOptionText(spec)).makeOptionMandatory(isRequired)
    if (takesValue) {
      option.argParser((value, previous: readonly string[] | undefined) => [
        ...(previous ?? []),
        value,
      ])
    }
    program.addOption(hiddenOptions.has(name) ? option.hideHelp() : option)
  }
  return program
}

export function toOptionText({
  text,
  choices,
  defaultText,
  isRepeatable,
}: OptionSpec<unknown>): string {
  const remarks = [
    ...(choices === undefined ? [] : [choices.join(', ')]),
    ...(isRepeatable ? ['may be repeated'] : []),
    ...(defaultText === undefined ? [] : [`default: ${defaultText}`]),
  ]
  return remarks.length === 0 ? text : `${text} (${remarks.join('; ')})`
}

function toGlobalValues(program: Program): GlobalValues {
  const given = readOptions(program, globalOptions) as GlobalValues
  return { ...given, url: given.url ?? given.address }
}

function readOptions(leaf: Program, specs: OptionSpecs): Record<string, unknown> {
  const raw = leaf.optsWithGlobals()
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => {
      const value: unknown = raw[toAttribute(spec.flags)]
      if (value === undefined || value === false) return [name, spec.read([])]
      return [name, spec.read(Array.isArray(value) ? value : [''])]
    }),
  )
}

/** The name by which commander keeps it. */
function toAttribute(flags: string): string {
  return new Option(longName(flags)).attributeName()
}

function toExamples(examples: readonly Example[]): string {
  const lines = examples.map(({ line, text }) => `  ${line}\n      ${text}`)
  return `\nExamples:\n${lines.join('\n')}`
}

/** The text of an error in the words of this program. */
export function toUsageError(text: string): string {
  return text.replace(/unknown command '(.*)'/, 'unknown command "$1" for "svc"')
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function versionText(): string {
  return `svc ${version}\nnode ${process.version}, ${process.platform}/${process.arch}`
}
