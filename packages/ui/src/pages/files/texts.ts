import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Import and export',
  import: 'Import',
  export: 'Export',
  importLead: 'Nothing is written before you say Apply.',
  exportLead: 'The same flags give the same bytes, so the file is good for version control.',
  // Export
  namespaces: 'Namespaces',
  holds: (flags: number, flagsText: string, segments: number, segmentsText: string) =>
    `${flags === 1 ? '1 flag' : `${flagsText} flags`}, ${segments === 1 ? '1 segment' : `${segmentsText} segments`}`,
  form: 'Form',
  download: (size: string) => `Download ${size}`,
  chooseSome: 'Choose a namespace.',
  reading: 'Reading…',
  preview: 'The file',
  cut: (lines: string) => `${lines} more lines are in the download.`,
  // The file
  drop: 'Drop a file here',
  dropHelp: 'YAML or JSON, as an export writes it. Several files are read as one.',
  choose: 'Choose files',
  another: 'Another file',
  fileFacts: (size: string, namespaces: string, flags: string, segments: string) =>
    `${size}, namespaces: ${namespaces}, flags: ${flags}, segments: ${segments}`,
  tooLarge: (limit: string) => `Files of more than ${limit} go with \`svc import\`.`,
  problems: (count: number, text: string) =>
    count === 1 ? 'The file has a mistake' : `The file has ${text} mistakes`,
  nothingInIt: 'There is neither a flag nor a segment in it.',
  // What it does
  looking: 'Looking at what would change…',
  counts: { new: 'new', changed: 'changed', 'only here': 'only here', same: 'the same' },
  does: 'Does',
  what: 'What',
  words: 'In words',
  flag: 'Flag',
  segment: 'Segment',
  stays: 'Stays as it is.',
  staysUnless: 'Stays as it is, unless you tick “Delete what the file lacks”.',
  isDeleted: 'Is deleted.',
  deleted: 'deleted',
  kept: 'kept',
  isMade: 'Is made.',
  details: (name: string) => `Details of ${name}`,
  moreRows: (count: string) => `${count} more are not shown.`,
  nothing: 'Nothing would change.',
  refused: 'The service refuses it. Nothing was written.',
  // Into
  into: 'Into',
  intoEach: 'Into the namespaces of the file',
  intoNew: (key: string) => `New: ${key}`,
  keeps: 'Leave what exists alone',
  keepsHelp: (count: string) => `Only what is new is made: ${count}.`,
  deletes: 'Delete what the file lacks',
  deletesHelp: (count: string) => `${count}. You will be asked again.`,
  apply: (count: number, text: string) =>
    count === 1 ? 'Apply 1 change' : `Apply ${text} changes`,
  applying: 'Applying…',
  asksFirst: 'Apply to',
  asksDelete: (count: number, text: string) =>
    count === 1 ? '1 object is deleted.' : `${text} objects are deleted.`,
  confirm: 'Apply',
  applied: (namespaces: string) => `The file is applied to ${namespaces}`,
}

export type FilesTexts = typeof en

export const filesTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
