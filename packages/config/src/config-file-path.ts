import { isAbsolute, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Environment } from './environment.ts'
import { problemAt } from './problems.ts'
import { isMissing, readSmallFile, unreadable } from './small-file.ts'

/** Maximum size: the settings fill a few kilobytes, and comments need room. */
const maxFileBytes = 1024 * 1024

export const systemConfigFiles = ['/etc/svc/config/default.yml', '/etc/svc/config.yml']

export interface ConfigFile {
  readonly path: string
  readonly text: string
}

/**
 * Finds the file that an option or a variable names, else the first of the usual places that has one.
 *
 * @returns nothing when there is none, or one line about why it cannot be read
 */
export function findConfigFile(
  argv: readonly string[],
  env: Environment,
  systemFiles: readonly string[],
): ConfigFile | string | undefined {
  const asked = askedFor(argv, env)
  if (asked === undefined) return firstOf([...userConfigFiles(env), ...systemFiles])
  if (asked.path === '') return problemAt(asked.by, 'needs the path of one file')
  try {
    return { path: asked.path, text: readSmallFile(asked.path, maxFileBytes) }
  } catch (error) {
    const remedy = `Correct ${asked.by} or leave it out`
    return problemAt(asked.by, `names ${asked.path}, which ${unreadable(error)}`, remedy)
  }
}

function askedFor(
  argv: readonly string[],
  env: Environment,
): { path: string; by: string } | undefined {
  // Not strict: a service may have options of its own, and answers for them.
  const { values } = parseArgs({
    args: [...argv],
    options: { config: { type: 'string', multiple: true } },
    strict: false,
  })
  const paths = values.config ?? []
  const [path] = paths
  if (paths.length > 1) return { path: '', by: '--config' }
  if (path !== undefined) return { path: typeof path === 'string' ? path : '', by: '--config' }
  return env.SVC_CONFIG ? { path: env.SVC_CONFIG, by: 'SVC_CONFIG' } : undefined
}

function userConfigFiles(env: Environment): string[] {
  // The XDG specification says to ignore a path that is relative.
  const { XDG_CONFIG_HOME: xdg = '', HOME: home = '' } = env
  if (isAbsolute(xdg)) return [join(xdg, 'svc/config.yml')]
  return isAbsolute(home) ? [join(home, '.config/svc/config.yml')] : []
}

function firstOf(paths: readonly string[]): ConfigFile | string | undefined {
  for (const path of paths) {
    try {
      return { path, text: readSmallFile(path, maxFileBytes) }
    } catch (error) {
      if (!isMissing(error)) return problemAt(path, unreadable(error), 'Correct or remove it')
    }
  }
  return undefined
}
