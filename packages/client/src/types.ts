import type { Explanation } from '@svc/evaluation/explain'
import type { JsonValue } from './api/call.ts'
import type { SvcError } from './api/error.ts'

/** For what a flag is evaluated: a user, a session, a device, an account. */
export interface Subject {
  /**
   * Decides the place in percentages: the same id always gets the same answer. Left out, it is empty, and
   * all subjects without one stand in the same place.
   */
  readonly entityId?: string | undefined
  /**
   * What constraints compare, by the name of the property. Numbers, booleans, objects and lists count as
   * their JSON text; `null` and `undefined` as absent.
   */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** Why an answer is what it is; the names are those of OpenFeature. */
export type EvaluationReason =
  /** A rule or rollout decided. Without `segmentKeys` it was a percentage of all entities. */
  | 'TARGETING_MATCH'
  /** No rule or rollout decided: it is the default variant, or the state of a boolean flag. */
  | 'DEFAULT'
  /** The variant flag is off: it is its default variant, if it has one. */
  | 'DISABLED'
  /** No rule decided and there is no default variant: nothing is served. */
  | 'UNKNOWN'
  /** `error` says what is wrong. */
  | 'ERROR'

/** What is wrong with an evaluation. */
export type EvaluationError =
  /** There is no flag with this key. */
  | 'FLAG_NOT_FOUND'
  /** No flags have been here yet: connected with `required: false`, and without a last known good file. */
  | 'NOT_READY'
  /** `boolean` was asked for a variant flag, or `variant` or `attachment` for a boolean flag. */
  | 'TYPE_MISMATCH'
  /** In remote mode: the subject is not the one that was given to `setContext` last. */
  | 'INVALID_CONTEXT'
  /** The flag or the context cannot be read, such as a context that refers to itself. */
  | 'GENERAL'

/** An answer with its circumstances. */
export interface Evaluation {
  /**
   * Of a boolean flag: whether it is on. Of a variant flag: the key of the variant. `undefined` when
   * nothing is served, or `error` is set.
   */
  readonly value: boolean | string | undefined
  /** Of a variant flag: the key of the variant; empty when nothing is served. Of a boolean flag: empty. */
  readonly variantKey: string
  /** JSON value of the variant's attachment, frozen; `undefined` when it has none. */
  readonly attachment: JsonValue | undefined
  readonly reason: EvaluationReason
  /**
   * The segments that the deciding rule or rollout found the subject in. In remote mode the answer has their keys
   * with commas between them, so that a key with a comma comes as its parts.
   */
  readonly segmentKeys: readonly string[]
  /** The revision of the namespace that the answer is from; 0 when there is none. */
  readonly revision: number
  /** Whether the server has been silent for over 40 seconds, or the answer is from the file. */
  readonly isStale: boolean
  readonly error: EvaluationError | undefined
}

/** What listeners get, by the name of the event. */
export interface FlagEvents {
  /** The first flags are here, or fresh ones after they were stale or the server refused. */
  readonly ready: { readonly revision: number }
  /** Flags are not what they were: by themselves or by their segments. Keys of deleted flags are among them. */
  readonly change: { readonly flagKeys: readonly string[]; readonly revision: number }
  /** The server has been silent for over 40 seconds, or the flags are from the file. */
  readonly stale: { readonly ageMs: number }
  /**
   * Something is wrong that does not heal by itself: `status` 401 and 403 for the credential, 404 for the
   * URL; 0 for a file that cannot be read or written, and for a server that went back to an older revision.
   * Flags stay as they are.
   */
  readonly error: SvcError
}

/** How long `waitFor` waits. */
export interface WaitOptions {
  /** Longest wait, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined
}

/**
 * The flags of a namespace. What evaluates is synchronous and never throws: whatever is wrong, the caller
 * gets its own default. Flags that were once here stay, whatever becomes of the server.
 */
export interface Flags {
  readonly mode: 'local' | 'remote'
  readonly namespace: string
  /** The revision of the namespace that answers are from; 0 before there are any. */
  readonly revision: number
  /** Whether there are flags: false only after `connect` with `required: false`. */
  readonly isReady: boolean
  /** Whether the server has been silent for over 40 seconds, or the flags are from the file. */
  readonly isStale: boolean
  /** Milliseconds since the server last confirmed the flags; `Infinity` before there are any. */
  readonly ageMs: number

  /**
   * Whether a boolean flag is on.
   *
   * @param fallback when there is no such flag, or it is a variant flag
   */
  boolean(flagKey: string, subject: Subject | undefined, fallback: boolean): boolean
  /**
   * The key of the variant that a variant flag serves.
   *
   * @param fallback when nothing is served, there is no such flag, or it is a boolean flag
   */
  variant<Fallback = string>(
    flagKey: string,
    subject: Subject | undefined,
    fallback: Fallback,
  ): string | Fallback
  /**
   * The attachment of the variant that a variant flag serves, as the JSON value that it is. It is frozen,
   * because all callers get the same object. Whether it has the shape of `Value` is not checked.
   *
   * @param fallback when the variant has none, nothing is served, there is no such flag, or it is a
   *   boolean flag
   */
  attachment<Value = JsonValue>(
    flagKey: string,
    subject: Subject | undefined,
    fallback: Value,
  ): Value
  /** The answer with its circumstances, for a flag of either type. */
  evaluate(flagKey: string, subject?: Subject): Evaluation

  /**
   * Resolves when answers are of this revision or a later one.
   *
   * @param revision what a write was answered with (`X-Svc-Revision`), such as `shop:42`
   * @throws {SvcError} code 3 for one that is none of this namespace, 4 when it does not come in time,
   *   1 when the flags are closed before it comes
   */
  waitFor(revision: string, options?: WaitOptions): Promise<void>
  /** @returns what takes the listener off again */
  on<Name extends keyof FlagEvents>(
    event: Name,
    listener: (event: FlagEvents[Name]) => void,
  ): () => void
  /** Ends the connection and writes the last known good file. Evaluation goes on with what there is. */
  close(): Promise<void>
}

/** Flags that are evaluated in this process. */
export interface LocalFlags extends Flags {
  readonly mode: 'local'
  /**
   * How the answer for a subject comes about, step by step.
   *
   * @throws {SvcError} code 5 when there is no such flag, 8 when it would take more than 4 MiB
   */
  explain(flagKey: string, subject?: Subject): Promise<Explanation>
}

/**
 * Flags that the server evaluates for one subject. Questions are about that subject: leave theirs out, or
 * give an equal one.
 */
export interface RemoteFlags extends Flags {
  readonly mode: 'remote'
  /**
   * Asks for the answers for another subject. Until they are here, answers are those for the one before.
   * When it is called again meanwhile, the last call counts: those before end as it does.
   *
   * @throws {SvcError} when the server does not answer: answers then stay as they were
   */
  setContext(subject: Subject): Promise<void>
}

/** What the client shows to the server. */
export type Credential =
  /** A client token. From an environment variable that is not set it is `undefined`, which `connect` refuses. */
  | { readonly token: string | undefined }
  /** A file with a client token, which is read again when it has changed. Not in browsers. */
  | { readonly tokenFile: string }
  /** The token of a workload's service account, exchanged for a client token. Not in browsers. */
  | { readonly serviceAccount: ServiceAccount }

/** A token that the cluster writes into the pod, and writes anew before it expires. */
export interface ServiceAccount {
  /** @default the usual path, `/var/run/secrets/kubernetes.io/serviceaccount/token` */
  readonly file?: string | undefined
  /** What the token has to be made for. Left out, this is for the server to judge. */
  readonly audience?: string | undefined
}

/** Where the client reports what is wrong, the same at most once a minute. */
export interface Logger {
  warn(message: string): void
  /** For what must not go unseen. @default `warn` */
  error?(message: string): void
}

interface CommonOptions {
  /** Where the service is, such as `https://flags.example.com`; with the path before its own, if any. */
  readonly url: string
  /** Key of the namespace. @default 'default' */
  readonly namespace?: string | undefined
  /** Left out where the server needs none. */
  readonly credential?: Credential | undefined
  /** Longest wait for the first flags from the server, in milliseconds. @default 5_000 */
  readonly readyTimeoutMs?: number | undefined
  /**
   * Whether `connect` rejects when no flags can be had. With `false` it resolves, each question gets its
   * default with `NOT_READY`, and flags come when they can. @default true
   */
  readonly required?: boolean | undefined
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** @default the global `console` */
  readonly logger?: Logger | undefined
}

/** Options of `connect` for flags that are evaluated in this process. */
export interface LocalOptions extends CommonOptions {
  /** Evaluates in this process. The default outside browsers, and not there in them. */
  readonly mode?: 'local' | undefined
  /**
   * File that keeps the flags for a start without the server, such as `/var/lib/app/flags.json`. One for
   * each process, in a folder that exists.
   */
  readonly lastKnownGood?: string | undefined
}

/** Options of `connect` for flags that the server evaluates for one subject. */
export interface RemoteOptions extends CommonOptions {
  /** Lets the server evaluate. The default in browsers, where it may be left out. */
  readonly mode: 'remote'
  /** The subject to begin with. @default one without an id and without a context */
  readonly subject?: Subject | undefined
  /** Keeps the answers in `localStorage`, for the first paint of the next visit. @default false */
  readonly persist?: boolean | undefined
}

/** Options of `connect`: those of the mode that is chosen. */
export type ConnectOptions = LocalOptions | RemoteOptions
