// Writes deploy/config.yml and the tables of docs/configuration.md from the schemas of all settings.
// Run through `pnpm generate`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fillSettingsTables, toConfigFile } from '@svc/config/documents'
import { authSettings } from './dist/methods/methods.js'

const root = new URL('../../', import.meta.url)
const page = new URL('docs/configuration.md', root)

writeFileSync(new URL('deploy/config.yml', root), toConfigFile(authSettings))
writeFileSync(page, fillSettingsTables(readFileSync(page, 'utf8'), authSettings))
