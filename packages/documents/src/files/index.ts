export {
  type AppliedNamespace,
  type ApplyProgress,
  type NamespaceOperations,
  type NamespacePlan,
  type PlannedApply,
  type PlanOptions,
  planApply,
} from './apply.ts'
export type { ApplyApi, ItemChange, Keeping, PlannedItem } from './apply-api.ts'
export { ApplyError } from './apply-error.ts'
export { type FileProblem, FilesError, problemText } from './file-problem.ts'
export {
  type Documents,
  deleteOperation,
  type Operation,
  setOperation,
  setOperations,
} from './operations.ts'
export {
  type FileText,
  type NamespaceFiles,
  type ReadFiles,
  type ReadOptions,
  readFiles,
} from './read.ts'
export {
  type NamespaceReader,
  type ReadNamespaceOptions,
  readNamespace,
  type StoredNamespace,
} from './read-namespace.ts'
export { deleteEmptyNamespace } from './targets.ts'
export { fileHeader, type NamespaceContent, type WriteOptions, writeNamespace } from './write.ts'
