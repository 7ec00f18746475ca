import { bold } from '../../text/rich.tsx'
import type { CompareTexts } from './texts.ts'

export const de: CompareTexts = {
  title: 'Vergleichen und übernehmen',
  lead: 'Was sich unterscheidet, und was Sie übernehmen möchten.',
  from: 'Von',
  to: 'Nach',
  swap: 'Vertauschen',
  choose: 'Namensraum wählen',
  chooseTwo: 'Wählen Sie zwei Namensräume, um zu sehen, was sich unterscheidet.',
  sameTwice: 'Wählen Sie einen anderen Namensraum zum Vergleichen.',
  onlyOne:
    'Es gibt einen Namensraum. Legen Sie einen weiteren an, etwa Staging, um zu vergleichen.',
  differ: 'verschieden',
  onlyIn: (namespace) => `nur in ${namespace}`,
  same: 'gleich',
  flags: 'Flags',
  segments: 'Segmente',
  flag: 'Flag',
  segment: 'Segment',
  standings: { differs: 'verschieden', new: 'neu', same: 'gleich', 'only there': 'nur dort' },
  notThere: 'noch nicht vorhanden',
  notHere: 'nicht vorhanden',
  constraints: (count, text) =>
    count === 0 ? 'Alle' : count === 1 ? '1 Bedingung' : `${text} Bedingungen`,
  otherwise: 'Gleicher Anteil, andere Einzelheiten',
  all: 'Alles Verschiedene übernehmen',
  take: (name) => `${name} übernehmen`,
  onlyDiffering: 'Nur Verschiedenes',
  none: 'Nichts ist verschieden.',
  nothingThere: 'Beide sind leer.',
  moreRows: (count) => `${count} weitere werden nicht gezeigt.`,
  chosen: 'Ausgewählt',
  counts: (flags, flagsText, segments, segmentsText) =>
    [
      ...(flags > 0 ? [flags === 1 ? '1 Flag' : `${flagsText} Flags`] : []),
      ...(segments > 0 ? [segments === 1 ? '1 Segment' : `${segmentsText} Segmente`] : []),
    ].join(', '),
  clear: 'Aufheben',
  reviewFor: (namespace) => `Für ${namespace} prüfen`,
  together: (count, text) =>
    count === 1
      ? '1 Änderung. Nichts wird gelöscht.'
      : `${text} Änderungen, zusammen gespeichert oder gar nicht. Nichts wird gelöscht.`,
  newFlag: 'Neues Flag.',
  newFlagOff: 'Neues Flag, zunächst aus.',
  newSegment: 'Neues Segment.',
  neededBy: (flags) => `Weil ${flags} es benötigt.`,
  alsoUsedBy: (flags) => `Auch ${flags} verwendet es und ändert sich mit.`,
  kept: (namespace) =>
    `${bold(namespace)} hat es seit der letzten Übernahme geändert, die Quelle nicht: Es bleibt.`,
  conflict: 'Beide haben es seit der letzten Übernahme geändert.',
  ours: (namespace) => `Das von ${namespace} behalten`,
  theirs: (namespace) => `Das von ${namespace} nehmen`,
  decide: 'Entscheiden Sie zuerst, was bleibt, wo beide geändert haben.',
  differs: (name, namespace) =>
    `${bold(name)} ist nicht in beiden gleich. Flags in ${namespace} verwenden weiter das von ${namespace}.`,
  takeToo: 'Auch übernehmen',
  missing: (keys) => `Segmente, die die Flags benötigen, fehlen in beiden: ${keys}.`,
  withState: 'Auch übernehmen, ob Flags an sind',
  withStateHelp: 'Sonst bleiben sie an oder aus, wie sie sind; neue sind aus.',
  back: 'Zurück',
  saveTo: (namespace) => `In ${namespace} speichern`,
  nothing: 'Nichts würde sich ändern.',
  saved: (count, text, namespace) =>
    count === 1
      ? `1 Änderung ist in ${bold(namespace)} gespeichert`
      : `${text} Änderungen sind in ${bold(namespace)} gespeichert`,
  details: (name) => `Unterschiede von ${name}`,
}
