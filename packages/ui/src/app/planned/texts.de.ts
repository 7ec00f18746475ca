import type { PlannedTexts } from './texts.ts'

export const de: PlannedTexts = {
  stale: 'Andere haben inzwischen etwas geändert. Das würde sich jetzt ändern.',
  unknown:
    'Die Antwort kam nicht an. Ob es getan ist, wird nachgesehen, sobald der Server antwortet.',
  lost: 'Die Antwort kam nicht an. Was hier steht, ist neu gelesen: Es ist, was noch zu tun ist.',
  refused: 'Der Dienst lehnt es ab. Nichts wurde geschrieben.',
}
