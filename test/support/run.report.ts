import type { GroupOutcome, Total } from './run.files.ts'
import type { TestGroup } from './run.groups.ts'
import type { Suite, TestFile } from './run.options.ts'

/** A line for each process, and below it what failed. */
export function describeOutcome({ name, files }: TestGroup, outcome: GroupOutcome): string {
  const { counts, failures, tookMs, output } = outcome
  const seconds = `${(tookMs / 1000).toFixed(1)} s`.padStart(7)
  const mark = failures.length > 0 ? 'FAIL' : 'ok  '
  const skipped = counts.skip + counts.todo
  const title =
    files.length === 1 ? files.map(({ source }) => source) : `${name} (${files.length} files)`
  const notes = [`${counts.pass} passed`]
  if (failures.length > 0) notes.push(`${Math.max(counts.fail, 1)} failed`)
  if (skipped > 0) notes.push(`${skipped} skipped`)
  const lines = [`${mark} ${seconds}  ${title}  ${notes.join(', ')}`]
  for (const { name: test, details } of failures) {
    lines.push('', `     ${test}`)
    if (Object.keys(details).length > 0) lines.push(indent(describeDetails(details), 9))
  }
  if (failures.length > 0) {
    if (output.trim() !== '') lines.push('', '     it wrote:', indent(output.trim(), 9))
    lines.push('')
  }
  return `${lines.join('\n')}\n`
}

/** `12 passed, 0 failed`, and how many were skipped if any were. */
export function describeTotal({ passed, failed, skipped }: Total): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

const suites: Record<Suite, string> = {
  usual: 'npm test',
  slow: 'npm run test:slow: takes minutes',
  nightly: 'npm run nightly: needs a quiet machine',
  kubernetes: 'pnpm test:kubernetes: needs the programs of a cluster',
}

/** A line for each suite that did not run whole, and the command that runs it. */
export function describeOmitted(all: readonly TestFile[], run: readonly TestFile[]): string {
  return Object.entries(suites)
    .map(([name, command]) => {
      const files = all.filter(({ suite }) => suite === name)
      const omitted = files.filter(({ source }) => run.every((file) => file.source !== source))
      return omitted.length > 0 ? `not run: ${omitted.length} files (${command})\n` : ''
    })
    .join('')
}

/** What tap says about itself, and about where in the compiled file it happened. */
const noise = new Set(['compare', 'source', 'tapCaught', 'type', 'at'])

function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([key, value]) => !noise.has(key) && value !== undefined && value !== null)
    .map(([key, value]) => {
      const text = typeof value === 'string' ? value.trim() : JSON.stringify(value, null, 2)
      return key === 'diff' || key === 'stack' ? text : `${key}: ${text}`
    })
    .join('\n')
}

function indent(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width))
}
