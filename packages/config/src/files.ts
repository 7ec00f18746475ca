import { closeSync, openSync, readSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { problemAt } from './given.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface SettingsSources {
  /** The file that `--config` names. */
  readonly file?: string | undefined
  readonly env: Environment
  /** Where to look when no file is named and the user's directory has none. */
  readonly systemFiles?: readonly string[]
}

export interface ConfigFile {
  readonly path: string
  readonly text: string
}

/** Maximum size: the settings fill a few kilobytes, and comments need room. */
const maxFileBytes = 1024 * 1024

const defaultSystemFiles = ['/etc/svc/config/default.yml', '/etc/svc/config.yml']

/**
 * Finds the file that an option or a variable names, else the first of the usual places that has one.
 *
 * @returns nothing when there is none, or one line about why it cannot be read
 */
export function findConfigFile(sources: SettingsSources): ConfigFile | string | undefined {
  const { file, env, systemFiles = defaultSystemFiles } = sources
  const by = file === undefined ? 'SVC_CONFIG' : '--config'
  const named = file ?? (env.SVC_CONFIG || undefined)
  if (named === '') return problemAt(by, 'needs the path of one file')
  const paths = named === undefined ? [...userConfigFiles(env), ...systemFiles] : [named]
  for (const path of paths) {
    try {
      return { path, text: readSmallFile(path, maxFileBytes) }
    } catch (error) {
      const wrong = unreadable(error)
      if (named !== undefined) {
        return problemAt(by, `names ${path}, which ${wrong}`, `Correct ${by} or leave it out`)
      }
      if (wrong !== missing) return problemAt(path, wrong, 'Correct or remove it')
    }
  }
  return undefined
}

function userConfigFiles({ XDG_CONFIG_HOME: xdg = '', HOME: home = '' }: Environment): string[] {
  // The XDG specification says to ignore a path that is relative.
  if (isAbsolute(xdg)) return [join(xdg, 'svc/config.yml')]
  return isAbsolute(home) ? [join(home, '.config/svc/config.yml')] : []
}

/**
 * Reads a file as text, up to a size limit: a device or a dump that is named by mistake cannot fill
 * the memory.
 *
 * @throws {Error} with a `code`, which {@link unreadable} explains
 */
export function readSmallFile(path: string, maxBytes: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > maxBytes)
      throw Object.assign(new Error('the file is too large'), { code: 'EFBIG' })
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length))
  } finally {
    closeSync(file)
  }
}

const missing = 'does not exist'

const reasons = new Map([
  ['ENOENT', missing],
  ['ENOTDIR', missing],
  ['EACCES', 'may not be read by this user'],
  ['EISDIR', 'is a directory'],
  ['EFBIG', 'is too large'],
  ['ERR_ENCODING_INVALID_ENCODED_DATA', 'is not text in UTF-8'],
])

/** @returns the reason why a file could not be read, as it follows the file's name */
export function unreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return reasons.get(code) ?? `cannot be read (${code})`
}
