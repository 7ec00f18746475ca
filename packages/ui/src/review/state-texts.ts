import { defineTexts } from '../text/texts.ts'

/** What the state of a flag is told with. */
export const stateEn = {
  stopped: 'Stopped',
  onForEveryone: 'On for everyone',
  offForEveryone: 'Off for everyone',
  onFor: (share: string) => `On for ${share}`,
  rollouts: (count: number, text: string) => (count === 1 ? '1 rollout' : `${text} rollouts`),
  elseGets: (isOn: boolean) => `Everyone else gets ${isOn ? 'On' : 'Off'}`,
  enabled: 'Enabled',
  disabled: 'Disabled',
  counts: (variants: number, variantsText: string, rules: number, rulesText: string) =>
    `${variants === 1 ? '1 variant' : `${variantsText} variants`}, ${rules === 1 ? '1 rule' : `${rulesText} rules`}`,
  everyoneGets: (variant: string) => `Everyone gets ${variant}`,
  everyoneGetsCode: 'Everyone gets the code’s default',
}

export type StateTexts = typeof stateEn

export const stateTexts = defineTexts(
  stateEn,
  async () => (await import('./state-texts.de.ts')).stateDe,
)
