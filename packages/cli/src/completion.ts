import type { Command } from './command.ts'
import type { Context } from './context.ts'
import { globalOptions, hiddenOptions } from './global-options.ts'
import { loadCommands } from './groups.ts'
import { listKeys } from './missing.ts'
import { type Completes, longName, type Option } from './options.ts'

/** How long the service may take: who presses Tab does not wait longer. */
const timeoutMs = 300

type Options = Readonly<Record<string, Option<unknown>>>

/**
 * What may stand in place of the last word.
 *
 * @param words those after `svc`; the last one is what was begun, perhaps empty
 * @returns candidates that begin with it; none for files, which the shell knows
 */
export async function complete(
  context: Context,
  words: readonly string[],
): Promise<readonly string[]> {
  const begun = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const commands = (await loadCommands()).map(({ command }) => command)
  const candidates = await candidatesFor(context, commands, before, begun)
  return candidates.filter((candidate) => candidate.startsWith(begun)).sort()
}

async function candidatesFor(
  context: Context,
  commands: readonly Command[],
  before: readonly string[],
  begun: string,
): Promise<readonly string[]> {
  const operands = operandsOf(before, commands)
  const command = findCommand(commands, operands)
  const options: Options = { ...globalOptions, ...command?.options }
  const pending = optionOf(options, before.at(-1))
  if (pending?.takesValue) return pending.choices ?? keysFor(context, pending.completes, begun)
  if (begun.startsWith('-')) return optionNames(options)
  if (command === undefined) return nextWords(commands, operands)
  const place = operands.length - command.name.split(' ').length
  const specs = Object.values(command.arguments ?? {})
  const spec = specs[place] ?? specs.findLast(({ isVariadic }) => isVariadic)
  return keysFor(context, spec?.completes, begun)
}

/** The words that are no options, and not the value of one. */
function operandsOf(words: readonly string[], commands: readonly Command[]): readonly string[] {
  const options: Options = Object.assign(
    {},
    ...commands.map(({ options }) => options),
    globalOptions,
  )
  return words.filter(
    (word, index) => !word.startsWith('-') && !optionOf(options, words[index - 1])?.takesValue,
  )
}

function findCommand(
  commands: readonly Command[],
  operands: readonly string[],
): Command | undefined {
  return commands.find(({ name }) => {
    const words = name.split(' ')
    return words.every((word, index) => word === operands[index])
  })
}

function optionOf(options: Options, word: string | undefined): Option<unknown> | undefined {
  if (word === undefined || !word.startsWith('-')) return undefined
  return Object.values(options).find(({ flags }) =>
    flags.split(/[ ,]+/).some((name) => name === word),
  )
}

function optionNames(options: Options): readonly string[] {
  const shown = Object.entries(options).filter(([name]) => !hiddenOptions.has(name))
  return [...shown.map(([, { flags }]) => longName(flags)), '--help']
}

function nextWords(commands: readonly Command[], operands: readonly string[]): readonly string[] {
  const following = commands
    .filter(({ isHidden }) => !isHidden)
    .map(({ name }) => name.split(' '))
    .filter((words) => operands.every((operand, index) => operand === words[index]))
    .map((words) => words[operands.length] ?? '')
  return [...new Set(following)].filter((word) => word !== '')
}

/** The keys that the service has; none when it does not answer in time. */
async function keysFor(
  context: Context,
  completes: Completes | undefined,
  begun: string,
): Promise<readonly string[]> {
  if (completes === undefined || completes === 'files') return []
  const options = { timeoutMs, text: begun === '' ? undefined : begun }
  return listKeys(context, context.namespaceKey, completes, options).catch(() => [])
}
