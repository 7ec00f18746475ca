import { writeFileSync } from 'node:fs'
import { SettingsError } from '@svc/runtime'
import type { Environment } from './environment.ts'
import { loadSettings } from './load.ts'
import type { Settings } from './settings.ts'

/** Loads what is written to a `config.yml` in the directory. */
export function loadText(directory: string, text: string, env: Environment = {}): Settings {
  const path = `${directory}/config.yml`
  writeFileSync(path, text)
  return loadSettings({ argv: ['--config', path], env, isTerminal: false }).settings
}

export function loadEnv(env: Environment): Settings {
  return loadSettings({ argv: [], env, isTerminal: false, systemFiles: [] }).settings
}

/** @returns the lines with which `load` refuses, without the directory in them */
export function problemsOf(load: () => unknown, directory = 'nowhere'): string[] {
  try {
    load()
    return []
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.problems.map((line) => line.replaceAll(`${directory}/`, ''))
  }
}
