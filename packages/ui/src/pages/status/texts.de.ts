import type { StatusTexts } from './texts.ts'

export const de: StatusTexts = {
  title: 'Zustand',
  looking: 'Wird nachgesehen',
  fine: 'Alles funktioniert',
  fineText: (gateways, text) =>
    gateways === 1
      ? 'Das Gateway hat jede Änderung.'
      : `${gateways === 2 ? 'Beide' : `Alle ${text}`} Gateways haben jede Änderung.`,
  fineUnknown: 'Dieses Gateway antwortet und hat jede Änderung.',
  attention: 'Es funktioniert, aber etwas fällt auf',
  findings: {
    unreachable: 'Der Server ist nicht erreichbar',
    draining: 'Dieses Gateway endet gleich',
    notReady: 'Dieses Gateway ist noch nicht bereit',
    unknown: 'Ob alles funktioniert, ist nicht bekannt',
  },
  unreachableText: 'Im Moment ist nichts von ihm bekannt. Die Seite fragt weiter.',
  drainingText: 'Es antwortet noch, und Lastverteiler nehmen andere.',
  notReadyText:
    'Es hat seine Flags noch nicht, oder hat auth nicht erreicht. Bis dahin bekommt es keine Anfragen.',
  unknown: {
    ready: 'Dieses Gateway sagt nicht, wie es ihm geht.',
    gateways: 'Die Gateways lassen sich nicht auflisten.',
    revisions: 'Welche Gateways jede Änderung haben, lässt sich nicht lesen.',
  },
  stale: {
    flags: (age) =>
      `Der Dienst resource ist nicht erreichbar. Flags werden ausgewertet, wie sie vor ${age} waren, und nichts lässt sich ändern.`,
    auth: (age) =>
      `Der Dienst auth ist seit ${age} nicht erreichbar. Bekannte Nachweise gelten weiter; Anmelden geht nicht.`,
  },
  longTime: 'einiger Zeit',
  behind: (count, text, total) =>
    count === 1
      ? `Eines von ${total} Gateways ist eine Revision zurück und holt auf.`
      : `${text} von ${total} Gateways sind eine Revision zurück und holen auf.`,
  silent: (count, text, total) =>
    count === 1
      ? `Eines von ${total} Gateways hat länger nichts gemeldet. Nach einer Minute zählt es nicht mehr.`
      : `${text} von ${total} Gateways haben länger nichts gemeldet. Nach einer Minute zählen sie nicht mehr.`,
  old: (count, text, total) =>
    count === 1
      ? `Eines von ${total} Gateways ist abgeschnitten und wertet mit alten Flags aus.`
      : `${text} von ${total} Gateways sind abgeschnitten und werten mit alten Flags aus.`,
  copy: 'Für einen Bericht kopieren',
  docs: 'Dokumentation der API',
  namespace: 'Namensraum',
  lastChange: 'Letzte Änderung bis zur Antwort',
  lastChangeText: (reached, total) => `Auf ${reached} von ${total} Gateways`,
  lastChangeHelp: 'Bis das langsamste Gateway damit auswertete. SDKs sind nicht gezählt.',
  notMeasured:
    'Nicht bekannt: die Gateways haben sie seit ihrem Start, oder seit über einer Stunde.',
  revision: 'Revision',
  noChange: 'Es wurde noch nichts geändert.',
  by: (name) => `von ${name}`,
  flags: 'Flags',
  segments: 'Segmente',
  showChanges: 'Änderungen zeigen',
  build: 'Version',
  runtime: 'Laufzeit',
  platform: 'Plattform',
  release: 'ein Release',
  preRelease: 'vor einem Release',
  authentication: 'Nachweise',
  required: 'nötig',
  notRequired: 'nicht nötig',
  gateways: 'Gateways',
  gatewaysText: (namespace) =>
    `Alle, die in der letzten Minute etwas gemeldet haben, für ${namespace}.`,
  noGateways: 'Kein Gateway hat in der letzten Minute etwas gemeldet.',
  noGatewaysWhy: (reason) => `Die Liste der Gateways wird nicht gezeigt: ${reason}.`,
  gateway: 'Gateway',
  arrivedAfter: 'Hatte die letzte Änderung nach',
  up: 'Läuft seit',
  report: 'Letzte Meldung',
  state: {
    fine: 'hat jede Änderung',
    behind: 'zurück',
    silent: 'still',
    old: 'abgeschnitten',
  },
  notKnown: 'nicht bekannt',
  ago: (age) => `vor ${age}`,
  behindThem: 'Was dieses Gateway hört',
  parts: { flags: 'Flags, vom Dienst resource', auth: 'Nachweise, vom Dienst auth' },
  partStates: { waiting: 'noch nichts', current: 'aktuell', stale: 'nicht erreicht' },
  partAge: (state, age) => `${state}, ${age} alt`,
  lastLook: (time) => `Stand von ${time}. Es wird alle fünf Sekunden gefragt.`,
}
