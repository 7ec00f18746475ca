import { checkFields } from '@svc/contract'
import { type DocumentOf, type Kind, patchDocument, toDocument } from '@svc/documents'
import { fieldRules } from '@svc/proto/field-rules'
import type { Operation as OperationMessage } from '@svc/proto/resource/v1/apply'
import { invalidArgument, invalidField } from '@svc/runtime'
import { type ChangedRecord, idOf } from '../changes/changed-record.ts'
import { kindOf, objectKindOf } from '../documents/kinds.ts'
import { recordNotFound } from '../records/errors.ts'
import { checkText, checkWhole } from '../records/requests.ts'
import { toStored } from './content.ts'
import { labelled } from './labels.ts'

/** A document of any kind. */
export type Document = DocumentOf[Kind]

/** An operation without what it does. */
export interface Listed extends ChangedRecord {
  /** Nothing is left of the object. */
  readonly isDeletion: boolean
  /** How much it takes, roughly. */
  readonly bytes: number
}

/** What becomes of one object. */
export interface Operation extends Listed {
  /** In errors, such as `operations[3]`; empty where there is one only. */
  readonly label: string
  /** The revision that the object has to be at; 0: there is none. */
  readonly ifRevision?: number | undefined
  /** A merge patch that changes nothing. */
  readonly expect?: object | undefined
  /** The ids in the document are those that its parts had. */
  readonly isRestored?: boolean
  /**
   * The document that the object gets, as it is stored but for ids; nothing when it is deleted.
   *
   * @param current what it is now, if it exists
   * @param namespaceKey for messages
   */
  next(current: Document | undefined, namespaceKey: string): Document | undefined
}

/** The operation that makes or replaces the whole object. */
export function setOperation({ kind, key }: ChangedRecord, document: object): Operation {
  // Checked before anything is locked.
  const stored = labelled('', () => toStored(kind, withKey(key, toDocument(kind, document))))
  return { kind, key, label: '', isDeletion: false, bytes: 0, next: () => stored }
}

export function deleteOperation({ kind, key }: ChangedRecord, label = ''): Operation {
  return { kind, key, label, isDeletion: true, bytes: 0, next: () => undefined }
}

/**
 * The operations of a request.
 *
 * @throws {AppError} for one that is none, and for two of the same object
 */
export function toOperations(
  namespaceKey: string,
  messages: readonly OperationMessage[],
): Operation[] {
  const labels = new Map<string, string>()
  return messages.map((message, place) => {
    const label = `operations[${place}]`
    return labelled(label, () => {
      const operation = toOperation(namespaceKey, message, label)
      const id = idOf(operation)
      const other = labels.get(id)
      if (other !== undefined) throw invalidArgument(`${other} is about the same ${operation.kind}`)
      labels.set(id, label)
      return operation
    })
  })
}

/** @throws {AppError} `invalid_argument` */
export function toOperation(
  namespaceKey: string,
  message: OperationMessage,
  label: string,
): Operation {
  checkText(message)
  checkFields(fieldRules.Operation, message)
  const kind = kindOf[message.kind]
  if (kind === undefined)
    throw invalidField('kind', `must be one of ${Object.values(objectKindOf).join(', ')}`)
  const key = keyOf(namespaceKey, kind, message)
  const { ifRevision, expect } = message
  if (ifRevision !== undefined) checkWhole('ifRevision', ifRevision)
  return { ...toChange(kind, key, message), label, ifRevision, expect }
}

/** The key in the path, in the operation and in the document are one. */
function keyOf(namespaceKey: string, kind: Kind, { key, flag, segment }: OperationMessage): string {
  if (kind === 'namespace') {
    if (key === '' || key === namespaceKey) return namespaceKey
    throw invalidField('key', 'differs from the namespace that the request is for')
  }
  const inDocument = (flag ?? segment)?.key ?? ''
  const named = key || inDocument
  if (named === '') throw invalidField('key', 'must not be empty')
  if (inDocument !== '' && inDocument !== named) {
    throw invalidField('key', 'differs from the key of the document')
  }
  return named
}

const members = { namespace: 'settings', flag: 'flag', segment: 'segment' } as const

function toChange(kind: Kind, key: string, message: OperationMessage): Operation {
  const { flag, segment, settings, patch } = message
  const set = { namespace: settings, flag, segment }[kind]
  const given = [flag, segment, settings, patch, message.delete].filter((one) => one !== undefined)
  const isDeletion = message.delete === true
  if (given.length !== 1 || (set === undefined && patch === undefined && !isDeletion)) {
    throw invalidArgument(`takes ${members[kind]}, patch or delete: one of them`)
  }
  if (set !== undefined) return setOperation({ kind, key }, set)
  if (patch !== undefined) return patchOperation({ kind, key }, patch)
  if (kind === 'namespace') throw invalidArgument('the settings of a namespace cannot be deleted')
  return deleteOperation({ kind, key })
}

function patchOperation({ kind, key }: ChangedRecord, patch: object): Operation {
  return {
    ...{ kind, key, label: '', isDeletion: false, bytes: 0 },
    next(current, namespaceKey) {
      if (current === undefined) throw recordNotFound(kind, namespaceKey, key)
      return toStored(kind, withKey(key, patchDocument(kind, current, patch)))
    },
  }
}

/** @throws {AppError} when the document has another key */
function withKey(key: string, document: Document): Document {
  if (!('key' in document)) return document
  if (document.key !== '' && document.key !== key) {
    throw invalidField('key', 'differs from the key of the object')
  }
  return { ...document, key }
}
