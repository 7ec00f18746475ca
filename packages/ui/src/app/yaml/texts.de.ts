import type { YamlTexts } from './texts.ts'

export const de: YamlTexts = {
  title: (name) => `${name} als YAML`,
  failed: 'Die Seite konnte nicht laden, was YAML schreibt.',
}
