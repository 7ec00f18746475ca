import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { siteDirectory } from '@svc/gateway/interface/site'

/** Of the built interface. */
export const assetsDirectory = `${siteDirectory}/assets/`

/** Without what is compressed. */
export function assetNames(): readonly string[] {
  return readdirSync(assetsDirectory).filter((name) => !/\.(br|gz)$/.test(name))
}

/** In bytes, as they are sent to what takes gzip. */
export function sizeOf(name: string): number {
  const compressed = `${assetsDirectory}${name}.gz`
  return statSync(existsSync(compressed) ? compressed : assetsDirectory + name).size
}

export function isEditor(name: string): boolean {
  return readFileSync(assetsDirectory + name, 'utf8').includes('cm-content')
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
