import { dirname } from 'node:path'
import type { Suite, TestFile } from './run.options.ts'

/** Test files that one process runs. */
export interface TestGroup {
  /** The file's name, or the package's. */
  readonly name: string
  readonly files: readonly TestFile[]
  readonly suite: Suite
}

/** Files that share a process. Those that use servers take longer each, and groups are to end alike. */
const maxFiles = { unit: 40, other: 10, slow: 4 }

/**
 * Starting a process and loading the services takes longer than most files, so the files of a package
 * or folder share one, as the unit tests of all packages or of all services do. A few have their own.
 * What takes longest comes first: slow ones that start processes, stacks, then the largest groups.
 */
export function groupFiles(files: readonly TestFile[]): TestGroup[] {
  const shared = [
    ...Map.groupBy(
      files.filter(({ isShared }) => isShared),
      ({ source, isUnit, suite }) =>
        isUnit
          ? `${source.split('/')[0]} units`
          : `${folderOf(source)}${suite === 'slow' ? ' slow' : ''}`,
    ),
  ].flatMap(([name, all]) => toGroups(name, all))
  const alone = files
    .filter(({ isShared }) => !isShared)
    .map((file): TestGroup => ({ name: file.source, files: [file], suite: file.suite }))
  const lengthOf = ({ name, files }: TestGroup) => {
    const isSlow = name.endsWith('.slow.test.ts')
    return (
      (isSlow ? 2 * maxFiles.unit : name.startsWith('test/') ? maxFiles.unit : 0) + files.length
    )
  }
  return [...shared, ...alone].sort((one, other) => lengthOf(other) - lengthOf(one))
}

function toGroups(name: string, files: readonly TestFile[]): TestGroup[] {
  const suite = files[0]?.suite ?? 'usual'
  const max = files.every(({ isUnit }) => isUnit)
    ? maxFiles.unit
    : maxFiles[suite === 'slow' ? suite : 'other']
  const size = Math.ceil(files.length / Math.ceil(files.length / max))
  const starts = Array.from({ length: Math.ceil(files.length / size) }, (_, i) => i * size)
  return starts.map((start, i) => ({
    name: i === 0 ? name : `${name} ${i + 1}`,
    files: files.slice(start, start + size),
    suite,
  }))
}

/** A package's folder, or one of `test/`. */
function folderOf(source: string): string {
  return source.includes('/src/') ? source.slice(0, source.indexOf('/src/')) : dirname(source)
}
