import type { EvaluationDetails, FlagValue } from '@openfeature/core'
import * as serverSdk from '@openfeature/server-sdk'
import * as webSdk from '@openfeature/web-sdk'
import type { EvaluationVector } from '@svc/evaluation/testing'
import { SvcProvider as ServerProvider } from '@svc/openfeature/server'
import { SvcProvider as WebProvider } from '@svc/openfeature/web'
import { byNamespace, type Outcome, type Target } from './side.ts'

/** No flag serves these. */
const fallbacks = { text: 'the fallback', number: 4711, object: { fallback: true } }

export async function askServerProvider(
  { url, token }: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  const { OpenFeature } = serverSdk
  return byNamespace(vectors, async (namespace, some) => {
    const provider = new ServerProvider({ url, namespace, credential: { token } })
    await OpenFeature.setProviderAndWait(namespace, provider)
    const client = OpenFeature.getClient(namespace)
    try {
      return await Promise.all(
        some.map(async (vector) => {
          const { flagKey, entityId, context: properties } = vector.request
          const context = { ...properties, targetingKey: entityId }
          const given =
            vector.kind === 'boolean'
              ? ofBoolean(
                  await client.getBooleanDetails(flagKey, !vector.expected.enabled, context),
                )
              : ofVariant(
                  await client.getStringDetails(flagKey, fallbacks.text, context),
                  await client.getNumberDetails(flagKey, fallbacks.number, context),
                  await client.getObjectDetails(flagKey, fallbacks.object, context),
                )
          return { given, right: rightDetails(vector, 'server') }
        }),
      )
    } finally {
      await OpenFeature.setProviderAndWait(namespace, new serverSdk.InMemoryProvider())
    }
  })
}

export async function askWebProvider(
  { url, token }: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  const { OpenFeature } = webSdk
  return byNamespace(vectors, async (namespace, some) => {
    const provider = new WebProvider({ url, namespace, credential: { token } })
    await OpenFeature.setProviderAndWait(namespace, provider)
    const client = OpenFeature.getClient(namespace)
    const outcomes: Outcome[] = []
    try {
      for (const vector of some) {
        const { flagKey, entityId, context } = vector.request
        await OpenFeature.setContext(namespace, { ...context, targetingKey: entityId })
        const given =
          vector.kind === 'boolean'
            ? ofBoolean(client.getBooleanDetails(flagKey, !vector.expected.enabled))
            : ofVariant(
                client.getStringDetails(flagKey, fallbacks.text),
                client.getNumberDetails(flagKey, fallbacks.number),
                client.getObjectDetails(flagKey, fallbacks.object),
              )
        outcomes.push({ given, right: rightDetails(vector, 'web') })
      }
      return outcomes
    } finally {
      await OpenFeature.setProviderAndWait(namespace, new webSdk.InMemoryProvider())
    }
  })
}

function ofBoolean(details: EvaluationDetails<boolean>): object {
  return { ...pickDetails(details), value: details.value }
}

function ofVariant(
  text: EvaluationDetails<string>,
  number: EvaluationDetails<number>,
  object: EvaluationDetails<FlagValue>,
): object {
  return { ...pickDetails(text), value: text.value, number: number.value, object: object.value }
}

function pickDetails({ variant, reason, errorCode, flagMetadata }: EvaluationDetails<FlagValue>) {
  const { segments, attachment } = flagMetadata
  return { variant, reason, errorCode, segments, attachment }
}

/** The reasons of OpenFeature, `docs/openfeature.md`. */
const reasons = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
  UNKNOWN_EVALUATION_REASON: 'DEFAULT',
}

function rightDetails({ kind, expected }: EvaluationVector, provider: 'server' | 'web'): object {
  const { segmentKeys } = expected
  const segments = segmentKeys.length > 0 ? segmentKeys.join() : undefined
  const reason = reasons[expected.reason]
  if (kind === 'boolean') {
    const { enabled } = expected
    const isMatch = expected.reason === 'MATCH_EVALUATION_REASON'
    // OFREP has no segments of boolean flags, so a percentage is not told from them.
    const isSplit = provider === 'server' && isMatch && segments === undefined
    return {
      value: enabled,
      variant: String(enabled),
      reason: isSplit ? 'SPLIT' : reason,
      ...(provider === 'server' && { segments }),
    }
  }
  const { variantKey, variantAttachment } = expected
  const attachment: unknown = variantAttachment === '' ? undefined : JSON.parse(variantAttachment)
  return {
    value: variantKey === '' ? fallbacks.text : variantKey,
    variant: variantKey === '' ? undefined : variantKey,
    reason,
    segments,
    attachment: variantAttachment === '' ? undefined : variantAttachment,
    number: typeof attachment === 'number' ? attachment : fallbacks.number,
    object: typeof attachment === 'object' && attachment !== null ? attachment : fallbacks.object,
  }
}
