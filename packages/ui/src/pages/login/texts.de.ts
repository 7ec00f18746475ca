import type { LoginTexts } from './texts.ts'

export const de: LoginTexts = {
  title: 'Bei svc anmelden',
  pageTitle: 'Anmelden',
  continueWith: (provider) => `Weiter mit ${provider}`,
  codehost: 'Weiter mit dem Code-Host',
  orToken: 'oder mit einem Token',
  token: 'Token',
  tokenHelp: 'Er wird gegen eine Sitzung in diesem Browser getauscht und nicht aufbewahrt.',
  showToken: 'Token zeigen',
  hideToken: 'Token verbergen',
  signIn: 'Anmelden',
  noToken: 'Fügen Sie zuerst einen Token ein.',
  wrongToken:
    'Dieser Token wird nicht angenommen. Er ist vielleicht vertippt, abgelaufen oder widerrufen.',
  nothingTitle: 'Hier kann sich noch niemand anmelden',
  nothingText:
    'Es ist kein Weg zur Anmeldung eingeschaltet. Schalten Sie unter authentication.methods in der Konfiguration des Dienstes einen ein und laden Sie diese Seite neu.',
  failedTitle: 'Sie wurden nicht angemeldet.',
  failures: {
    declined: 'Die Anmeldung wurde beim Anbieter abgebrochen.',
    refused:
      'Dieses Konto darf sich hier nicht anmelden, oder die Anmeldung hat zu lange gedauert. Beginnen Sie noch einmal; schlägt sie wieder fehl, nennt das Log des Dienstes unter dieser Anfrage den Grund.',
    busy: 'Es melden sich zu viele auf einmal an. Warten Sie einige Sekunden und beginnen Sie noch einmal.',
    unavailable:
      'Der Anbieter antwortet nicht, wie er soll. Beginnen Sie in einer Minute noch einmal.',
    failed:
      'Die Anmeldung ist fehlgeschlagen. Beginnen Sie noch einmal; das Log des Dienstes nennt den Grund.',
  },
  request: 'Anfrage',
  lostTokens: 'Alle Tokens verloren?',
  lostTitle: 'Einen neuen Token machen',
  lostText:
    'Auf der Maschine, auf der der Dienst läuft, gibt einer dieser Befehle einen neuen aus:',
}
