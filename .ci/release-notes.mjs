// The text of a release: its section of the changelog. Fails when the packages have another version, or the section
// has no date.
//   node .ci/release-notes.mjs 1.2.0
import { readFile } from 'node:fs/promises'

const read = (path) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

/** Links of the changelog are from the repository's root; those of a release have no place of their own. */
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env

const [version = ''] = process.argv.slice(2)
const { version: own } = JSON.parse(await read('services/gateway/package.json'))
const sections = (await read('CHANGELOG.md')).split(/^## /m).slice(1)
const section = sections.find((text) => text.startsWith(`${version}, `))
const [, date, notes] = /^[0-9.]+, (\d{4}-\d{2}-\d{2})\n([\s\S]*)$/.exec(section ?? '') ?? []

const address = repository === undefined ? '' : `${server}/${repository}/blob/v${version}/`

if (version !== own) fail(`this is ${own}, and not ${version}`)
else if (date === undefined) fail(`CHANGELOG.md has no section "${version}, YYYY-MM-DD"`)
else if (notes.trim() === '') fail(`the section of ${version} in CHANGELOG.md is empty`)
else console.log(notes.trim().replaceAll('](docs/', `](${address}docs/`))

function fail(reason) {
  console.error(reason)
  process.exitCode = 1
}
