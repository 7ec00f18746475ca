import { SettingsError } from '@svc/runtime'

/** @returns the lines with which `load` refuses, without the directory in them */
export function problemsOf(load: () => unknown, directory = 'nowhere'): readonly string[] {
  try {
    load()
    return []
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.problems.map((line) => line.replaceAll(`${directory}/`, ''))
  }
}
