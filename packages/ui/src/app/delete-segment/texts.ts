import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: (name: string) => `Delete ${name} from`,
  text: 'No flag uses it. Its constraints go with it. You can undo it.',
  action: 'Delete segment',
  deleted: (name: string, namespace: string) => `${bold(name)} is deleted from ${namespace}`,
  blockedTitle: (name: string) => `${name} cannot be deleted now`,
  blocked: (count: number, text: string) =>
    count === 1
      ? 'A flag uses it. Take it out of its rules first.'
      : `${text} flags use it. Take it out of their rules first.`,
  more: (count: string) => `And ${count} more`,
  looking: 'Looking which flags use it',
}

export type DeleteSegmentTexts = typeof en

export const deleteSegmentTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
