import { writeFileSync } from 'node:fs'
import { type AuthSettings, authSettings } from '@svc/auth/settings'
import { loadSettings } from '@svc/config'
import { SettingsError } from '@svc/runtime'

type Environment = Readonly<Record<string, string | undefined>>

/** Loads every setting from a text that is written to a `config.yml` in the directory. */
export function loadText(directory: string, text: string, env: Environment = {}): AuthSettings {
  const path = `${directory}/config.yml`
  writeFileSync(path, text)
  return loadSettings(authSettings, { file: path, env }).settings
}

export function loadEnv(env: Environment): AuthSettings {
  const sources = { env, systemFiles: [] }
  return loadSettings(authSettings, sources).settings
}

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
