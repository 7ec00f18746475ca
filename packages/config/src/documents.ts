import { stringify } from 'yaml'
import type { SettingsSchema } from './schema.ts'
import { anyName, type Setting } from './setting-index.ts'

export { toValuesSchema } from './json-schema.ts'

type Documented = Pick<SettingsSchema, 'index'>

const introduction = `\
# Every setting, each with its default; those without one are commented out. What is left out
# keeps its default, so an empty file will do, and variables such as SVC_LOG_LEVEL go before the
# file. docs/configuration.md says the rest. Generated: change the schemas and run pnpm generate.
`

/** @returns deploy/config.yml */
export function toConfigFile({ index }: Documented): string {
  return `${introduction}${[...configLines(index.settings)].join('\n')}\n`
}

/** @returns the text of docs/configuration.md with what stands between its markers made anew */
export function fillSettingsTables(text: string, { index }: Documented): string {
  const secrets = index.settings.filter(({ isSecret }) => isSecret).map(({ key }) => `- \`${key}\``)
  const head = ['| Key | Variable | Default | Meaning |', '|---|---|---|---|']
  const withSecrets = putBetween(text, 'secrets', secrets)
  return putBetween(withSecrets, 'settings', [...head, ...index.settings.map(toRow)])
}

function putBetween(text: string, name: string, lines: readonly string[]): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- end -->']
  const start = text.indexOf(begin)
  const stop = text.indexOf(end, start)
  if (start < 0 || stop < 0) throw new Error(`there is no ${begin} … ${end}`)
  return `${text.slice(0, start)}${begin}\n\n${lines.join('\n')}\n\n${text.slice(stop)}`
}

function* configLines(settings: readonly Setting[]): Generator<string> {
  let open: readonly string[] = []
  for (const { key, description, fallback, example } of settings) {
    const names = key.split('.')
    const sections = names.slice(0, -1)
    if (names[0] !== open[0]) yield ''
    for (const [depth, section] of sections.entries()) {
      if (sections.slice(0, depth + 1).join('.') === open.slice(0, depth + 1).join('.')) continue
      yield `${'  '.repeat(depth)}${section === anyName ? '# example' : section}:`
    }
    open = names
    // A section that is an example is commented out with all that belongs to it.
    const mark = fallback === undefined || key.includes(anyName) ? '# ' : ''
    const lines = stringify({ [names.at(-1) ?? '']: fallback ?? example })
      .trimEnd()
      .split('\n')
    const indent = '  '.repeat(sections.length)
    for (const line of [`# ${description}`, ...lines.map((line) => mark + line)])
      yield indent + line
  }
}

function toRow({ key, variable, description, fallback, isMap }: Setting): string {
  const code = (text: unknown) => `\`${text}\``
  const items = Array.isArray(fallback) ? fallback.map(code) : [code(isMap ? '{}' : fallback)]
  const shown = fallback === undefined ? '' : items.join(', ') || code('[]')
  return `| ${code(key)} | ${variable ? code(variable) : ''} | ${shown} | ${description} |`
}
