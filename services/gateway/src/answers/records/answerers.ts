import { RecordServiceDefinition } from '@svc/proto/snapshot/v1/records'
import { type Answerers, answerersOf } from '../../operations/answerer.ts'
import type { Copies } from '../copies/copies.ts'
import { recordsForm } from './form.ts'

/** The records for clients that evaluate by themselves with our engine, and their streams. */
export function recordAnswerers(copies: Copies): Answerers {
  return answerersOf(RecordServiceDefinition, {
    getRecords: copies.whole(() => recordsForm),
    streamRecords: copies.stream(() => recordsForm),
  })
}
