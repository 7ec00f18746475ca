import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../paging.ts'
import { explainViolations } from '../violations.ts'
import {
  deleteSegment,
  getSegment,
  insertSegment,
  listSegments,
  segmentOrder,
  updateSegment,
} from './segments.store.ts'
import { segmentInUse, segmentNotFound, segmentNotUnique } from './segments.ts'

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

    async createSegment(request, caller?) {
      const wanted = checkRequest(fieldRules.CreateSegmentRequest, request)
      return commitChange(db, wanted.namespaceKey, caller, async (tx, change) => {
        change.changed('segment', wanted.key)
        return explainViolations(insertSegment(tx, wanted), {
          segment_is_unique: () => segmentNotUnique(wanted),
        })
      })
    },

    async updateSegment(request, caller?) {
      const update = checkRequest(fieldRules.UpdateSegmentRequest, request)
      const { namespaceKey, key } = update
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        const segment = await updateSegment(tx, update)
        if (segment === undefined) throw segmentNotFound(namespaceKey, key)
        change.changed('segment', key)
        return segment
      })
    },

    async deleteSegment(request, caller?) {
      const target = checkRequest(fieldRules.DeleteSegmentRequest, request)
      const { namespaceKey, key } = target
      return commitDeletion(db, namespaceKey, caller, async (tx, change) => {
        const bytes = await explainViolations(deleteSegment(tx, namespaceKey, key), {
          segment_exists: () => segmentInUse(target),
        })
        if (bytes !== undefined) change.deleted('segment', key, bytes)
      })
    },
  } satisfies Handlers<SegmentServiceDefinition>
}
