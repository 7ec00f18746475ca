// Writes deploy/config.yml, the tables of docs/configuration.md and the schema of the chart's values from
// the schemas of all settings, and the chart's copy of the dashboard. Run through `pnpm generate`.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { fillSettingsTables, toConfigFile, toValuesSchema } from '@svc/config/documents'
import { authSettings } from './dist/methods/methods.js'

const root = new URL('../../', import.meta.url)
const page = new URL('docs/configuration.md', root)

writeFileSync(new URL('deploy/config.yml', root), toConfigFile(authSettings))
writeFileSync(page, fillSettingsTables(readFileSync(page, 'utf8'), authSettings))

const chart = new URL('deploy/helm/', root)
const source = readFileSync(new URL('values.schema.yml', chart), 'utf8')
writeFileSync(new URL('values.schema.json', chart), toValuesSchema(authSettings, source))

// No symbolic links: they lead out of the chart, and Flux and `cp -r` leave their targets behind.
for (const file of ['dashboard.json', 'alerts.yml']) {
  copyFileSync(new URL(`deploy/observability/${file}`, root), new URL(`files/${file}`, chart))
}
