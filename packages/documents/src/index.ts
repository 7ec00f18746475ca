export { canonicalText } from './canonical.ts'
export { DocumentError } from './document-error.ts'
export { readDocument, toDocument } from './reading.ts'
export type { DocumentOf, Kind } from './shapes.ts'
