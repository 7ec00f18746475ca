import { defineTexts } from '../../text/texts.ts'

const en = {
  title: (name: string) => `${name} as YAML`,
  failed: 'The page could not load what writes YAML.',
}

export type YamlTexts = typeof en

export const yamlTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
