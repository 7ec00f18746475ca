import type { RotateTexts } from './texts.ts'

export const de: RotateTexts = {
  title: (name) => `Neues Geheimnis für ${name}`,
  lead: 'Name, Namensraum und Rechte bleiben. Nur das Geheimnis ändert sich.',
  overlap: 'Das alte Geheimnis gilt noch',
  overlaps: { '': 'gar nicht', '1h': '1 Std.', '24h': '24 Std.', '168h': '7 T.', '720h': '30 T.' },
  now: 'jetzt',
  old: 'Alt',
  fresh: 'Neu',
  picture: (until) => `Das neue Geheimnis gilt ab jetzt, das alte bis ${until}`,
  pictureNow: 'Das neue Geheimnis gilt ab jetzt, das alte nicht mehr',
  leaked: 'Das alte Geheimnis wird ab jetzt abgewiesen: die Wahl, wenn es bekannt geworden ist.',
  older: 'Das Geheimnis davor, das noch angenommen wird, wird sofort abgewiesen.',
  sessions: 'Browser, die mit einem alten Geheimnis angemeldet sind, werden mit ihm abgemeldet.',
  lastUsed: (when, address) =>
    address === '' ? `Zuletzt benutzt: ${when}.` : `Zuletzt benutzt: ${when} von ${address}.`,
  rotate: 'Neues Geheimnis anlegen',
}
