import { SnapshotServiceDefinition } from '@svc/proto/snapshot/v1/snapshot'
import { type Answerers, answerersOf } from '../../operations/answerer.ts'
import type { Copies } from '../copies/copies.ts'
import { formFor } from './form.ts'

/** The snapshots for clients that evaluate by themselves, and their streams. */
export function snapshotAnswerers(copies: Copies): Answerers {
  return answerersOf(SnapshotServiceDefinition, {
    getSnapshot: copies.whole(formFor),
    streamSnapshot: copies.stream(formFor),
  })
}
