import { joinSections, type SettingsIn } from '@svc/config'
import { codehostSection } from './codehost/settings.ts'
import { jwtSection } from './jwt/settings.ts'
import { oidcSection } from './oidc/settings.ts'
import { orchestratorSection } from './orchestrator/settings.ts'
import { tokenSection } from './token/settings.ts'

/** Every setting, those of the auth methods included. Documents are made from it. */
export const authSettings = joinSections({
  token: tokenSection,
  oidc: oidcSection,
  codehost: codehostSection,
  orchestrator: orchestratorSection,
  jwt: jwtSection,
})

export type AuthSettings = SettingsIn<typeof authSettings>
