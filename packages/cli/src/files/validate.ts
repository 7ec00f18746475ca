import {
  type FileProblem,
  FilesError,
  type FileText,
  problemText,
  readFiles,
} from '@svc/documents/files'
import type { Output } from '../output.ts'

/** @returns whether there is nothing wrong with the files, after telling what is */
export function validateFiles(
  output: Output,
  files: readonly FileText[],
  isJson: boolean,
): boolean {
  const problems = findProblems(files)
  if (isJson) {
    // The form of the established command line.
    const errors = problems.map(({ file, line, column, path, message }) => ({
      message,
      location: { file, line, column, path },
    }))
    output.raw(`${JSON.stringify({ errors })}\n`)
  } else if (problems.length > 0) {
    output.raw(`${problems.map(problemText).join('\n')}\n`)
  } else {
    output.note(`${files.length === 1 ? 'The file is' : `All ${files.length} files are`} valid.`)
  }
  return problems.length === 0
}

function findProblems(files: readonly FileText[]): readonly FileProblem[] {
  try {
    readFiles(files, { isComplete: true })
    return []
  } catch (error) {
    if (error instanceof FilesError) return error.problems
    throw error
  }
}
