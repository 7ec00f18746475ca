/** Something in a file that is not as it has to be. */
export interface FileProblem {
  /** The name that the file was given by. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  /** Where in the document, such as `flags[0].rules[1].segment`; empty for the document itself. */
  readonly path: string
  /** What is wrong and what to do, without the place. */
  readonly message: string
}

/** `flags.yml:12:5: flags[0].nmae: is unknown: a flag has key, name, …` */
export function problemText({ file, line, column, path, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`
}

/** Files cannot be read. Its message has a line for each problem. */
export class FilesError extends Error {
  override readonly name = 'FilesError'
  /** In the order of the files; 100 at most. */
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(problemText).join('\n'))
    this.problems = problems
  }
}
