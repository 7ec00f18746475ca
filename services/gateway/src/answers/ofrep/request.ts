import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type JsonObject, resolveNamespaceKey } from '@svc/contract'
import type { Context } from '@svc/evaluation'
import { invalidField } from '@svc/runtime'
import { readContextOf } from '../evaluation/request.ts'

/** Maximum flags that a request lists: as many as a batch may have, contract decision 20. */
const maxKeys = 1000

/** Ours, and the one that providers send which were set up for the server that we stand in for. */
const namespaceHeaders = ['x-svc-namespace', 'x-flipt-namespace'] as const

/** Says what the value of a variant flag is; answers vary with it. */
export const valueHeader = 'X-Svc-Value'

/** An OFREP request, as it was read. */
export interface Asked {
  /** Resolved; it has to be allowed to the caller. */
  readonly namespaceKey: string
  readonly context: Context
  /** Whom the flags are evaluated for, if the context says so. */
  readonly targetingKey: string | undefined
  /** Which flags are asked for; all, if the context does not say. */
  readonly flagKeys: readonly string[] | undefined
  /** Whether attachments are the values of variant flags; else the keys of variants are. */
  readonly asAttachment: boolean
}

/** @throws {AppError} `invalid_argument` for headers or a context that make no sense, or too much of it */
export function readAsked(headers: IncomingHttpHeaders, body: JsonObject): Asked {
  const namespaceKey = readNamespace(headers)
  const context = readContextOf(body)
  return {
    namespaceKey,
    context,
    targetingKey: Object.hasOwn(context, 'targetingKey') ? context.targetingKey : undefined,
    flagKeys: readFlagKeys(body.context),
    asAttachment: asksForAttachments(headers),
  }
}

/** @throws {AppError} `invalid_argument` for what cannot be the key of a namespace, and for two of them */
export function readNamespace(headers: IncomingHttpHeaders): string {
  const [key = '', ...others] = namespaceHeaders.flatMap(
    (name) => String(headers[name] ?? '') || [],
  )
  if (others.some((other) => other !== key)) {
    throw invalidField('X-Svc-Namespace', 'differs from X-Flipt-Namespace')
  }
  return resolveNamespaceKey(key, 'X-Svc-Namespace')
}

/** A list without anything in it is none, and neither is an attribute of this name that is no text. */
function readFlagKeys(context: unknown): readonly string[] | undefined {
  if (!isObject(context) || typeof context.flags !== 'string') return undefined
  const items = context.flags.split(',', maxKeys + 1)
  if (items.length > maxKeys) throw invalidField('flags', `must list at most ${maxKeys} flags`)
  const keys = new Set(items.map((key) => key.trim()).filter((key) => key !== ''))
  return keys.size === 0 ? undefined : [...keys]
}

function asksForAttachments(headers: IncomingHttpHeaders): boolean {
  const asked = headers['x-svc-value'] ?? ''
  if (asked !== '' && asked !== 'attachment') {
    throw invalidField(valueHeader, 'must be "attachment" or left out')
  }
  return asked === 'attachment'
}
