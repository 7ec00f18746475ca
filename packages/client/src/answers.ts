import type { Reason } from '@svc/evaluation'
import type { Answer } from './base.ts'

/** The answers for one subject, by the key of the flag. */
export interface Answers {
  readonly byKey: ReadonlyMap<string, Answer>
  /** What decides whether an answer is another one, by the key of the flag. */
  readonly texts: ReadonlyMap<string, string>
  /** The revision of the namespace that they are of; `undefined` where the server does not say. */
  readonly revision: number | undefined
}

/** A flag of a bulk evaluation by OFREP. */
interface OfrepFlag {
  readonly key: string
  readonly reason?: string
  readonly variant?: string
  readonly value?: unknown
  readonly metadata?: { readonly segments?: string; readonly attachment?: string }
}

interface OfrepBody {
  readonly flags: readonly OfrepFlag[]
  readonly eventStreams?: readonly { readonly endpoint?: { readonly requestUri?: string } }[]
}

const reasons: Readonly<Record<string, Reason>> = {
  TARGETING_MATCH: 'MATCH_EVALUATION_REASON',
  DISABLED: 'FLAG_DISABLED_EVALUATION_REASON',
  DEFAULT: 'DEFAULT_EVALUATION_REASON',
}

export const noAnswers: Answers = { byKey: new Map(), texts: new Map(), revision: undefined }

/** @param text of a bulk evaluation @throws for one that is none */
export function readAnswers(text: string): Answers {
  const { flags, eventStreams }: OfrepBody = JSON.parse(text)
  const uri = eventStreams?.[0]?.endpoint?.requestUri ?? ''
  const [, revision] = /[?&]since=(\d{1,15})(?:&|$)/.exec(uri) ?? []
  return {
    byKey: new Map(flags.map((flag) => [flag.key, toAnswer(flag)])),
    texts: new Map(flags.map((flag) => [flag.key, JSON.stringify(flag)])),
    revision: revision === undefined ? undefined : Number(revision),
  }
}

/** The keys of flags whose answers differ. */
export function differences({ texts: before }: Answers, { texts: after }: Answers): string[] {
  const changed = [...after].filter(([key, text]) => before.get(key) !== text)
  const gone = [...before.keys()].filter((key) => !after.has(key))
  return [...changed.map(([key]) => key), ...gone]
}

function toAnswer({ reason: name = '', variant = '', value, metadata = {} }: OfrepFlag): Answer {
  const reason = reasons[name] ?? 'UNKNOWN_EVALUATION_REASON'
  const { segments = '', attachment = '' } = metadata
  // Keys may have commas: what was joined cannot be told from one of those.
  const segmentKeys = Object.freeze(segments === '' ? [] : segments.split(','))
  return typeof value === 'boolean'
    ? { enabled: value, reason, segmentKeys }
    : {
        match: reason === 'MATCH_EVALUATION_REASON',
        variantKey: variant,
        variantAttachment: attachment,
        reason,
        segmentKeys,
      }
}
