import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  on: (name: string, namespace: string) => `${bold(name)} is on in ${namespace}`,
  elseOn: (name: string, namespace: string) =>
    `${bold(name)}: everyone else gets On in ${namespace}`,
  off: (name: string, namespace: string) => `${bold(name)} is off in ${namespace}`,
  enabled: (name: string, namespace: string) => `${bold(name)} is enabled in ${namespace}`,
  disabled: (name: string, namespace: string) => `${bold(name)} is disabled in ${namespace}`,
  stillOnFor: (share: string) => `Everyone else gets Off. Still On for ${share}.`,
  stillOn: 'Everyone else gets Off. Some still get On by rollouts.',
}

export type SwitchedTexts = typeof en

export const switchedTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
