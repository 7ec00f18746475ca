import { stringify } from 'yaml'
import type { SettingsSchema } from './schema.ts'
import { anyName, type Setting } from './setting-index.ts'

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
export function toHandbook(text: string, { index }: Documented): string {
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
  for (const setting of settings) {
    const sections = setting.path.slice(0, -1)
    const names = setting.key.split('.')
    if (setting.path[0] !== open[0]) yield ''
    for (const depth of sections.keys()) {
      const isOpen = open.slice(0, depth + 1).join('.') === sections.slice(0, depth + 1).join('.')
      if (isOpen) continue
      yield `${indentOf(depth)}${names[depth] === anyName ? '# example' : names[depth]}:`
    }
    open = setting.path
    yield* settingLines(setting, names.at(-1) ?? '', indentOf(sections.length))
  }
}

/** A section that is an example is commented out with all that belongs to it. */
function* settingLines(setting: Setting, name: string, indent: string): Generator<string> {
  const { description, fallback, example, key } = setting
  const mark = fallback === undefined || key.includes(anyName) ? '# ' : ''
  yield `${indent}# ${description}`
  const lines = stringify({ [name]: fallback ?? example })
    .trimEnd()
    .split('\n')
  for (const line of lines) yield `${indent}${mark}${line}`
}

function indentOf(depth: number): string {
  return '  '.repeat(depth)
}

function toRow({ key, variable, description, fallback, isMap }: Setting): string {
  const items = Array.isArray(fallback)
    ? fallback.map((item) => `\`${item}\``)
    : [isMap ? '`{}`' : `\`${fallback}\``]
  const shown = fallback === undefined ? '' : items.join(', ') || '`[]`'
  const name = variable === undefined ? '' : `\`${variable}\``
  return `| \`${key}\` | ${name} | ${shown} | ${description} |`
}
