import type { Json, Operation } from './operations.ts'

/**
 * What applying needs of the service. `createApi` of `@svc/client/api` has it; all functions reject with
 * errors that have the HTTP `status`, 0 without an answer.
 */
export interface ApplyApi {
  readonly namespaces: {
    /** With the view `SUMMARY` it says how much the namespace holds. */
    get(
      request: { readonly key: string; readonly view?: 'SUMMARY' },
      options?: CallOptions,
    ): Promise<{ readonly flagCount?: number; readonly segmentCount?: number }>
    create(request: NewNamespace, options?: CallOptions): Promise<object>
    delete(request: { readonly key: string }, options?: CallOptions): Promise<object>
  }
  readonly documents: {
    apply(request: ApplyRequest, options?: CallOptions): Promise<ApplyResult>
  }
  readonly drafts: {
    create(request: NewDraft, options?: CallOptions): Promise<Draft>
    addOperations(request: DraftPart, options?: CallOptions): Promise<object>
    plan(request: PlanRequest, options?: CallOptions): Promise<DraftPlan>
    get(request: DraftName, options?: CallOptions): Promise<Draft>
    delete(request: DraftName, options?: CallOptions): Promise<object>
    apply(request: ApplyDraftsRequest, options?: CallOptions): Promise<object>
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly comment?: string | undefined
  readonly timeoutMs?: number | undefined
}

interface NewNamespace {
  readonly key: string
  readonly name: string
  readonly description?: string | undefined
}

/** How the objects of an apply are kept. */
export interface Keeping {
  /** Who keeps the objects from then on, such as `git`. Left out: who keeps them does not change. */
  readonly manager?: string | undefined
  /** Deletes what the manager keeps and no operation names. */
  readonly prune?: boolean | undefined
  /** Takes over what another manager keeps; else that is refused with 409. */
  readonly takeOver?: boolean | undefined
  /** For the change log: `from` (`"staging:77"`) and `note`. */
  readonly details?: Json | undefined
}

interface ApplyRequest extends Keeping {
  readonly namespaceKey: string
  readonly operations: readonly Operation[]
  readonly dryRun?: boolean
  readonly plan?: string
  readonly comment?: string | undefined
}

interface ApplyResult {
  readonly revision: number
  readonly plan: string
  readonly items: readonly PlannedItem[]
  readonly unchanged: number
}

/** What happens to one object. */
export interface PlannedItem {
  readonly kind: Operation['kind'] | 'UNKNOWN_KIND'
  readonly key: string
  readonly action: 'UNCHANGED_ACTION' | 'CREATED_ACTION' | 'UPDATED_ACTION' | 'DELETED_ACTION'
  /** By path. Empty for an object that is deleted, and for one that only gets another manager. */
  readonly changes: readonly ItemChange[]
  /** Before the change; 0 when the object did not exist. */
  readonly revision: number
  /** Who keeps it after the change. */
  readonly managedBy: string
  /** `changes` were left out, for the answer would be too large. */
  readonly isCut: boolean
}

/** One difference: JSON, as text; left out where there was, or is, nothing. */
export interface ItemChange {
  readonly path: string
  readonly before?: string
  readonly after?: string
}

interface NewDraft extends Keeping {
  readonly namespaceKey: string
}

export interface DraftName {
  readonly namespaceKey: string
  readonly id: string
}

interface DraftPart extends DraftName {
  readonly part: number
  readonly operations: readonly Operation[]
}

interface PlanRequest extends DraftName {
  readonly limit?: number
  readonly pageToken?: string
}

interface DraftPlan {
  readonly plan: string
  readonly items: readonly PlannedItem[]
  readonly unchanged: number
  readonly nextPageToken: string
}

interface ApplyDraftsRequest {
  readonly drafts: readonly (DraftName & { readonly plan?: string })[]
  readonly comment?: string | undefined
}

export interface Draft extends DraftName {
  readonly state:
    | 'OPEN_DRAFT_STATE'
    | 'APPLYING_DRAFT_STATE'
    | 'APPLIED_DRAFT_STATE'
    | 'FAILED_DRAFT_STATE'
  readonly revision: number
  readonly failure: string
  readonly failureReason: string
}
