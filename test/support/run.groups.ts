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
const maxFiles = { unit: 40, usual: 10, slow: 4 }

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
  return [...shared, ...alone].sort(
    (one, other) => placeOf(one) - placeOf(other) || other.files.length - one.files.length,
  )
}

function placeOf({ name }: TestGroup): number {
  if (name.endsWith('.slow.test.ts')) return 0
  return name.startsWith('test/') ? 1 : 2
}

function toGroups(name: string, files: readonly TestFile[]): TestGroup[] {
  const suite = files.some((file) => file.suite === 'slow') ? 'slow' : 'usual'
  const max = maxFiles[files.every(({ isUnit }) => isUnit) ? 'unit' : suite]
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
