import { defineTexts } from '../../text/texts.ts'

const en = {
  stale: 'Others have changed something meanwhile. This is what would change now.',
  unknown:
    'The answer did not come. Whether it is done is looked up as soon as the server answers.',
  lost: 'The answer did not come. What is shown here is read anew: it is what is still to be done.',
  refused: 'The service refuses it. Nothing was written.',
}

export type PlannedTexts = typeof en

export const plannedTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
