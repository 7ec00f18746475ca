import { bold } from '../../text/rich.tsx'
import type { CliLoginTexts } from './texts.ts'

export const de: CliLoginTexts = {
  pageTitle: 'Kommandozeile',
  title: 'svc anmelden?',
  unnamed: 'einem anderen Rechner',
  what: (host) =>
    `${bold('svc')}, die Kommandozeile, auf ${bold(host)} möchte für Sie handeln. Erlauben Sie das nur, wenn Sie selbst dort gerade ${bold('svc login')} ausgeführt haben.`,
  as: 'Als',
  where: 'Darf ändern',
  everywhere: 'alles, was Sie dürfen',
  onlyIn: (namespace) => `was Sie in ${namespace} dürfen`,
  from: 'Von',
  ends: 'Endet',
  endsAt: (time) => `um ${time} oder mit dieser Sitzung`,
  allow: 'Erlauben',
  deny: 'Nicht erlauben',
  failed: 'Es wurde nicht erlaubt.',
  noSession:
    'Dieser Browser hat keine Sitzung: Etwas auf dem Weg fügt seinen Anfragen einen Token hinzu, und ein Token darf keine weiteren machen. Geben Sie diesen Token svc selbst, mit svc login --token-file.',
  sentTitle: 'Erlaubt',
  sent: 'Der Browser geht weiter zu svc auf diesem Rechner. Kommt er dort nicht an, führen Sie svc login noch einmal aus.',
  codeTitle: 'Tippen Sie diesen Code ein',
  codeLabel: 'Der Code',
  codeWarning:
    'Tippen Sie ihn nur in ein Terminal, in dem Sie selbst gerade `svc login` ausgeführt haben.',
  codeEnds: (time) => `Er gilt einmal, bis ${time}.`,
  doneTitle: 'svc ist angemeldet',
  done: 'Sie können diesen Tab schließen und im Terminal weitermachen. Die Sitzung steht unter Sitzungen; endet sie, darf auch svc nichts mehr.',
  notDoneTitle: 'svc ist nicht angemeldet',
  notDone: 'Das Terminal sagt, warum. Führen Sie dort svc login noch einmal aus.',
  deniedTitle: 'Nicht erlaubt',
  denied: 'svc darf nichts. Sie können diesen Tab schließen.',
  badTitle: 'Dieser Link ist nicht vollständig',
  bad: 'Führen Sie svc login noch einmal aus und kopieren Sie den ganzen Link, der dort steht.',
  openTitle: 'Hier ist nichts anzumelden',
  open: 'Dieser Dienst verlangt keine Anmeldung, svc arbeitet also ohne svc login. Um unter einem Namen zu handeln, melden Sie sich zuerst hier an.',
  signIn: 'Anmelden',
}
