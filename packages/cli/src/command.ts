import type { Context } from './context.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Argument, Option } from './options.ts'

/** One line to copy. Each of them is run by a test, as printed, against a service with `test/fixtures/cli`. */
export interface Example {
  readonly line: string
  /** What it does, as a short sentence without an end. */
  readonly text: string
  /** What it ends with. @default 0 */
  readonly exitCode?: ExitCode
}

type Arguments = Readonly<Record<string, Argument<unknown>>>
type Options = Readonly<Record<string, Option<unknown>>>

type ValuesOf<Parts extends Arguments | Options> = {
  readonly [Name in keyof Parts]: Parts[Name] extends Argument<infer Value>
    ? Value
    : Parts[Name] extends Option<infer Value>
      ? Value
      : never
}

/** What one command is. Help, completion and `docs/cli.md` are made of it. */
export interface Definition<Args extends Arguments, Opts extends Options> {
  /** As it is typed after `svc`: `export`, or `flags list`. */
  readonly name: string
  /** One line for the list of commands, without an end. */
  readonly summary: string
  /** More about it: what it changes, what it prints, what to know. */
  readonly description?: string
  /** In the order in which they are given. */
  readonly arguments?: Args
  readonly options?: Opts
  readonly examples: readonly Example[]
  /** Not listed: it is for programs. */
  readonly isHidden?: boolean
  /** Whether `--profile` may name one that is not there: a login makes it. */
  readonly makesProfile?: true
  /**
   * Does it. Heavy modules are imported in here, so that other commands do not wait for them.
   *
   * @returns what the process ends with; nothing for 0. What is thrown is told, and ends with {@link exitCodeOf} it.
   */
  run(
    context: Context,
    values: ValuesOf<Args> & ValuesOf<Opts>,
    // biome-ignore lint/suspicious/noConfusingVoidType: a command without a return is done
  ): Promise<ExitCode | void>
}

/** A command of whichever arguments and options: its `run` takes what they give. */
export type Command = Definition<Arguments, Options>

/** Types the values that `run` gets by the arguments and options. */
export function defineCommand<
  const Args extends Arguments = Record<never, never>,
  const Opts extends Options = Record<never, never>,
>(definition: Definition<Args, Opts>): Command {
  return definition
}
