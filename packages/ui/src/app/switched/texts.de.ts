import { bold } from '../../text/rich.tsx'
import type { SwitchedTexts } from './texts.ts'

export const de: SwitchedTexts = {
  on: (name, namespace) => `${bold(name)} ist in ${namespace} an`,
  elseOn: (name, namespace) => `${bold(name)}: Alle anderen erhalten An in ${namespace}`,
  off: (name, namespace) => `${bold(name)} ist in ${namespace} aus`,
  enabled: (name, namespace) => `${bold(name)} ist in ${namespace} aktiv`,
  disabled: (name, namespace) => `${bold(name)} ist in ${namespace} inaktiv`,
  stillOnFor: (share) => `Alle anderen erhalten Aus. Noch An für ${share}.`,
  stillOn: 'Alle anderen erhalten Aus. Einige erhalten durch Rollouts noch An.',
}
