import { defineTexts } from '../../text/texts.ts'

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
  nothingTitle: 'Nobody can sign in here yet',
  nothingText:
    'No way to sign in is enabled. Enable one under authentication.methods in the configuration of the service, and reload this page.',
  failedTitle: 'You were not signed in.',
  request: 'Request',
  lostTokens: 'Lost every token?',
  lostTitle: 'Make a new token',
  lostText: 'On the machine that runs the service, one of these prints a new token:',
}

export type LoginTexts = typeof en

export const loginTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
