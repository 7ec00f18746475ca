import { connectivityState, experimental } from '@grpc/grpc-js'
import { observeGauge } from '@svc/telemetry'

/** The connections of a channel, one or none to each replica, with the state of each. */
export class Endpoints {
  readonly #subchannels = new Set<experimental.SubchannelInterface>()

  add(subchannel: experimental.SubchannelInterface): void {
    this.#subchannels.add(subchannel)
  }

  delete(subchannel: experimental.SubchannelInterface): void {
    this.#subchannels.delete(subchannel)
  }

  /** @returns the number of replicas in each state, as gRPC names them, in lower case */
  states(): ReadonlyMap<string, number> {
    const states = new Map(stateNames.map((name) => [name, 0]))
    for (const subchannel of this.#subchannels) {
      const name = stateNames[subchannel.getConnectivityState()] ?? 'shutdown'
      states.set(name, (states.get(name) ?? 0) + 1)
    }
    return states
  }
}

/** By the number of the state. */
const stateNames = [
  connectivityState.IDLE,
  connectivityState.CONNECTING,
  connectivityState.READY,
  connectivityState.TRANSIENT_FAILURE,
  connectivityState.SHUTDOWN,
].map((state) => (connectivityState[state] ?? '').toLowerCase())

/**
 * @param name of the service, for example `the auth service`
 * @returns what ends it
 */
export function measureEndpoints(name: string, endpoints: Endpoints): () => void {
  const service = name.replace(/^the | service$/g, '')
  return observeGauge('svc.rpc.endpoints', (result) => {
    for (const [state, count] of endpoints.states()) result.observe(count, { service, state })
  })
}

/** Name of {@link ObservedRoundRobin} in the configuration of a channel. */
export const balancing = 'svc_round_robin'

/** Option of a channel: its {@link Endpoints}. */
export const endpointsOption = 'svc.endpoints'

class RoundRobinConfig implements experimental.TypedLoadBalancingConfig {
  readonly child = experimental.parseLoadBalancingConfig({ round_robin: {} })

  getLoadBalancerName(): string {
    return balancing
  }

  toJsonObject(): object {
    return { [balancing]: {} }
  }

  static createFromJson(): RoundRobinConfig {
    return new RoundRobinConfig()
  }
}

/** A connection to a replica, which is counted until the last that uses it lets go of it. */
class CountedSubchannel
  extends experimental.BaseSubchannelWrapper
  implements experimental.SubchannelInterface
{
  readonly #endpoints: Endpoints
  #users = 0

  constructor(child: experimental.SubchannelInterface, endpoints: Endpoints) {
    super(child)
    this.#endpoints = endpoints
  }

  override ref(): void {
    super.ref()
    this.#users += 1
    this.#endpoints.add(this)
  }

  override unref(): void {
    super.unref()
    this.#users -= 1
    if (this.#users === 0) this.#endpoints.delete(this)
  }
}

/** Round robin of gRPC, whose connections are counted. */
class ObservedRoundRobin implements experimental.LoadBalancer {
  readonly #helper: experimental.ChannelControlHelper
  #child: experimental.ChildLoadBalancerHandler | undefined

  constructor(helper: experimental.ChannelControlHelper) {
    this.#helper = helper
  }

  updateAddressList(
    ...[list, config, options, note]: Parameters<experimental.LoadBalancer['updateAddressList']>
  ): boolean {
    if (!(config instanceof RoundRobinConfig)) return false
    this.#child ??= new experimental.ChildLoadBalancerHandler(
      this.#helperWith(options[endpointsOption]),
    )
    return this.#child.updateAddressList(list, config.child, options, note)
  }

  exitIdle(): void {
    this.#child?.exitIdle()
  }

  resetBackoff(): void {
    this.#child?.resetBackoff()
  }

  destroy(): void {
    this.#child?.destroy()
  }

  getTypeName(): string {
    return balancing
  }

  #helperWith(endpoints: unknown): experimental.ChannelControlHelper {
    const helper = this.#helper
    if (!(endpoints instanceof Endpoints)) return helper
    return experimental.createChildChannelControlHelper(helper, {
      createSubchannel: (address, options) =>
        new CountedSubchannel(helper.createSubchannel(address, options), endpoints),
    })
  }
}

experimental.registerLoadBalancerType(balancing, ObservedRoundRobin, RoundRobinConfig)
