import type { Suite, TestFile } from './run.options.ts'

/** Test files that one process runs. */
export interface TestGroup {
  /** The file's name, or the package's. */
  readonly name: string
  readonly files: readonly TestFile[]
  readonly suite: Suite
}

/** Files that share a process. The largest package has several, so that it is not the last to end. */
const maxFiles = 20

/**
 * The unit tests of a package share a process, since starting one takes longer than most of them.
 * Every other file has its own. What takes longest comes first: stacks, and these groups.
 */
export function groupFiles(files: readonly TestFile[]): TestGroup[] {
  const shared = Map.groupBy(
    files.filter(({ isUnit }) => isUnit),
    ({ source }) => source.slice(0, source.indexOf('/src/')),
  )
  const packages = [...shared].flatMap(([name, units]) =>
    chunk(units).map((part, i): TestGroup => {
      return { name: i === 0 ? name : `${name} ${i + 1}`, files: part, suite: 'usual' }
    }),
  )
  const alone = files
    .filter(({ isUnit }) => !isUnit)
    .map((file): TestGroup => ({ name: file.source, files: [file], suite: file.suite }))
  const isLong = ({ name }: TestGroup) => name.startsWith('test/')
  return [...alone.filter(isLong), ...packages, ...alone.filter((group) => !isLong(group))]
}

function chunk<T>(items: readonly T[]): T[][] {
  const starts = Array.from({ length: Math.ceil(items.length / maxFiles) }, (_, i) => i * maxFiles)
  return starts.map((start) => items.slice(start, start + maxFiles))
}
