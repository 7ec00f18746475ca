import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../lists/paging.ts'
import { createSegment, deleteSegment, updateSegment } from './segments.changes.ts'
import { getSegment, listSegments, segmentOrder } from './segments.store.ts'

export function segmentHandlers(db: Database) {
  return {
    async listSegments(request) {
      const { namespaceKey } = checkRequest(fieldRules.ListSegmentsRequest, request)
      const page = toPage(request, segmentOrder)
      const { items: segments, ...rest } = await listSegments(db, namespaceKey, page)
      return { segments, ...rest }
    },

    async getSegment(request) {
      const { namespaceKey, key } = checkRequest(fieldRules.GetSegmentRequest, request)
      return getSegment(db, namespaceKey, key)
    },

    async createSegment(request, context) {
      const segment = checkRequest(fieldRules.CreateSegmentRequest, request)
      return commitChange(db, segment.namespaceKey, context, (tx, change) =>
        createSegment(tx, change, segment),
      )
    },

    async updateSegment(request, context) {
      const update = checkRequest(fieldRules.UpdateSegmentRequest, request)
      return commitChange(db, update.namespaceKey, context, (tx, change) =>
        updateSegment(tx, change, update),
      )
    },

    async deleteSegment(request, context) {
      const target = checkRequest(fieldRules.DeleteSegmentRequest, request)
      return commitDeletion(db, target.namespaceKey, context, (tx, change) =>
        deleteSegment(tx, change, target),
      )
    },
  } satisfies Handlers<SegmentServiceDefinition, Caller>
}
