import { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState, NamespaceChange } from '@svc/proto/resource/v1/watch'
import { EventLoopScheduler } from '@svc/runtime'
import { EncodedFlag } from '../../replica/flag-text.ts'
import { NamespaceState } from '../../replica/namespace-state.ts'
import { wholeOf } from '../copies/copy-text.ts'
import type { Form } from '../copies/form.ts'
import { Wholes } from '../copies/wholes.ts'
import { currentForm } from './form.ts'

type DeepPartial<T> = T extends string | number | boolean | undefined
  ? T
  : T extends (infer Item)[]
    ? DeepPartial<Item>[]
    : { [Name in keyof T]?: DeepPartial<T[Name]> }

type PartialState = DeepPartial<FlagState>

interface PartialChange {
  readonly flags?: PartialState[]
  readonly segments?: DeepPartial<Segment>[]
  readonly deletedFlagKeys?: string[]
  readonly deletedSegmentKeys?: string[]
}

/** A namespace as the resource service would have sent it. */
export function stateOf(key: string, revision: number, change: PartialChange): NamespaceState {
  const state = new NamespaceState(key)
  state.load(partOf(change), revision)
  return state
}

export function applyTo(state: NamespaceState, revision: number, change: PartialChange) {
  state.apply([partOf(change)], revision)
}

function partOf({ flags = [], segments = [], ...deleted }: PartialChange) {
  return {
    ...NamespaceChange.fromPartial(deleted),
    flags: flags.map(
      (flag) =>
        new EncodedFlag(Buffer.from(FlagState.encode(FlagState.fromPartial(flag)).finish())),
    ),
    segments: segments.map((segment) => Segment.fromPartial(segment)),
  }
}

/** The state of a boolean flag for a segment and for half of the other entities. */
export function booleanState(key: string, second = 0, name = key): PartialState {
  const createdAt = { seconds: 1_800_000_000 + second, nanos: 123_456_000 }
  return {
    flag: { key, name, type: 'BOOLEAN_FLAG_TYPE', createdAt, updatedAt: createdAt },
    rollouts: [
      {
        type: 'SEGMENT_ROLLOUT_TYPE',
        rank: 1,
        segment: { segmentKey: 'pro', value: true, segmentOperator: 'OR_SEGMENT_OPERATOR' },
      },
      { type: 'THRESHOLD_ROLLOUT_TYPE', rank: 2, threshold: { percentage: 50, value: true } },
    ],
  }
}

/** A segment whose constraint asks for one value. */
export function segmentFor(key: string, value: string): DeepPartial<Segment> {
  const type = 'STRING_COMPARISON_TYPE'
  return {
    key,
    constraints: [{ id: `id-of-${key}`, type, property: 'plan', operator: 'eq', value }],
  }
}

export function manyFlags(count: number, name?: string): PartialState[] {
  return Array.from({ length: count }, (_, i) => booleanState(`f-${i}`, i, name))
}

export async function textOf(state: NamespaceState, form: Form = currentForm): Promise<string> {
  const { text } = await new Wholes(new EventLoopScheduler()).get(state, form)
  return wholeOf(text).toString()
}
