import { defineTexts } from '../../text/texts.ts'
import type { LoginFailure } from './search.ts'

const en = {
  title: 'Sign in to svc',
  pageTitle: 'Sign in',
  continueWith: (provider: string) => `Continue with ${provider}`,
  codehost: 'Continue with the code host',
  orToken: 'or with a token',
  token: 'Token',
  tokenHelp: 'It is exchanged for a session in this browser and not kept.',
  showToken: 'Show the token',
  hideToken: 'Hide the token',
  signIn: 'Sign in',
  noToken: 'Paste a token first.',
  wrongToken: 'This token is not accepted. It may be mistyped, expired or revoked.',
  nothingTitle: 'There is no way to sign in yet',
  nothingText:
    'No way to sign in is enabled. Enable one under authentication.methods in the configuration of the service, and reload this page.',
  failedTitle: 'You were not signed in.',
  failures: {
    declined: 'The sign-in was cancelled at the provider.',
    refused:
      'This account may not sign in here, or the sign-in took too long. Start again; if it fails again, the log of the service names the reason under this request.',
    busy: 'Too many people are signing in. Wait a few seconds and start again.',
    unavailable: 'The provider does not answer as it should. Start again in a minute.',
    failed: 'The sign-in failed. Start again; the log of the service names the reason.',
  } satisfies Record<LoginFailure, string>,
  request: 'Request',
  lostTokens: 'Lost every token?',
  lostTitle: 'Make a new token',
  lostText: 'On the machine that runs the service, one of these prints a new token:',
}

export type LoginTexts = typeof en

export const loginTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
