import type { Text } from '../text.ts'

export const login: Text['login'] = {
  title: 'Bei svc anmelden',
  continueWith: (provider) => `Weiter mit ${provider}`,
  codehost: 'Weiter mit dem Code-Host',
  orToken: 'oder mit einem Token',
  token: 'Token',
  tokenHelp: 'Er wird gegen eine Sitzung in diesem Browser getauscht und nicht behalten.',
  showToken: 'Token zeigen',
  hideToken: 'Token verbergen',
  signIn: 'Anmelden',
  signingIn: 'Anmeldung läuft …',
  noToken: 'Fügen Sie zuerst einen Token ein.',
  wrongToken: 'Dieser Token gilt nicht. Er ist vertippt, abgelaufen oder widerrufen.',
  nothingEnabled: 'Keine Anmeldung ist eingerichtet. Das geht unter authentication.methods.',
  failed: (reason) => `Sie wurden nicht angemeldet: ${reason}`,
}
