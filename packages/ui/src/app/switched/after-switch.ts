/** What is said after the switch of a flag was turned. */
type AfterSwitch = 'enabled' | 'disabled' | 'on' | 'elseOn' | 'off' | 'stillOn'

export interface Switched {
  readonly isBoolean: boolean
  readonly enabled: boolean
  /** Whether rollouts give On to a part of the entities. */
  readonly servesOn: boolean
  /** Whom it is on for now, in per cent; nothing where that depends on segments. */
  readonly share: number | undefined
}

/** The switch of a boolean flag decides for everyone else alone: what is said is what people get. */
export function afterSwitch({ isBoolean, enabled, servesOn, share }: Switched): AfterSwitch {
  if (!isBoolean) return enabled ? 'enabled' : 'disabled'
  if (enabled) return share === 100 ? 'on' : 'elseOn'
  return servesOn && share !== 0 ? 'stillOn' : 'off'
}
