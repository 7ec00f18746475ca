import type { StateTexts } from './state-texts.ts'

export const stateDe: StateTexts = {
  stopped: 'Gestoppt',
  onForEveryone: 'An für alle',
  offForEveryone: 'Aus für alle',
  onFor: (share) => `An für ${share}`,
  rollouts: (count, text) => (count === 1 ? '1 Rollout' : `${text} Rollouts`),
  elseGets: (isOn) => `Alle anderen erhalten ${isOn ? 'An' : 'Aus'}`,
  enabled: 'Aktiv',
  disabled: 'Inaktiv',
  counts: (variants, variantsText, rules, rulesText) =>
    `${variants === 1 ? '1 Variante' : `${variantsText} Varianten`}, ${rules === 1 ? '1 Regel' : `${rulesText} Regeln`}`,
  everyoneGets: (variant) => `Alle erhalten ${variant}`,
  everyoneGetsCode: 'Alle erhalten den Standard im Code',
}
