import type { Runtime } from '@x/wire'
import { StoreUnavailableError, type JobStore, type LiveBus } from '@x/flow-engine/store'
import type { World } from './world.ts'

/** A machine of the simulated fleet. */
export interface Host {
  readonly name: string
  readonly runtime: Runtime
  /** The store as this host reaches it. */
  readonly store: JobStore
  readonly dead: () => boolean
  die(): void
  freeze(ms: number): void
  partition(ms: number): void
  /** Sets its clock off by so many milliseconds. */
  skew(ms: number): void
}

/** What all hosts share. */
export interface Network {
  readonly world: World
  readonly store: JobStore
  /** Probability that a call or a notification goes wrong. */
  faults: number
  /** Until when the store is away. */
  awayUntil: number
  /** Claims whose answer was lost: their jobs are in no process, as if it had died. */
  lostClaims: number
  readonly listeners: Set<Listener>
}

interface Listener {
  readonly host: string
  readonly channel: string
  readonly hear: (payload: string) => void
}

/** A call on its way. */
interface Sent<Result> {
  readonly what: string
  readonly fail: () => void
  readonly later: (least: number, most: number) => number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

const lost = (): StoreUnavailableError => new StoreUnavailableError({ connectionLost: true })

export function createHost(network: Network, name: string): Host {
  const { world } = network
  let isDead = false
  let frozenUntil = 0
  let cutUntil = 0
  let skewed = 0
  let ids = 0

  /** Runs code of this host: not before it thaws, and never when it is dead. */
  const deliver = (time: number, code: () => void): void =>
    world.at(time, () => {
      if (isDead) return
      if (world.now() < frozenUntil) deliver(frozenUntil, code)
      else code()
    })

  const arrive = async <Result>(
    effect: () => Promise<Result>,
    { what, fail, later, resolve, reject }: Sent<Result>,
  ): Promise<void> => {
    try {
      const result = await effect()
      if (world.now() < cutUntil || world.chance(network.faults)) {
        world.note(`lost-reply ${name} ${what}`)
        if (what === 'queue.claim') network.lostClaims += 1
        fail()
        return
      }
      world.note(`call ${name} ${what}`)
      const isLate = world.chance(network.faults)
      deliver(isLate ? later(500, 4000) : later(1, 40), () => resolve(result))
    } catch (error) {
      world.note(`refused ${name} ${what}`)
      deliver(later(1, 40), () => reject(error))
    }
  }

  const call = <Result>(what: string, effect: () => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (isDead) return
      const later = (least: number, most: number): number =>
        world.now() + world.between(least, most)
      const fail = (): void => deliver(later(1, 3000), () => reject(lost()))
      world.at(later(1, 40), () => {
        const isCut = world.now() < cutUntil || world.now() < network.awayUntil
        if (isCut || world.chance(network.faults)) {
          world.note(`unsent ${name} ${what}`)
          fail()
          return
        }
        void arrive(effect, { what, fail, later, resolve, reject })
      })
    })
  /** Every method of a part goes over the network. */
  const remote = <Part extends object>(part: Part, kind: string): Part =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...given: unknown[]): Promise<unknown> =>
          call(
            `${kind}.${String(key)}`,
            async () => (await Reflect.apply(value, target, given)) as unknown,
          )
      },
    })

  const bus: LiveBus = {
    publish(channel, payload) {
      for (const listener of network.listeners) {
        if (listener.channel !== channel) continue
        if (listener.host === name) {
          listener.hear(payload)
          continue
        }
        if (world.now() < cutUntil || world.chance(network.faults)) continue
        const times = world.chance(network.faults) ? 2 : 1
        for (let n = 0; n < times; n += 1)
          world.at(world.now() + world.between(1, 60), () => listener.hear(payload))
      }
    },
    subscribe(channel, hear) {
      const listener: Listener = {
        host: name,
        channel,
        hear: (payload) => deliver(world.now(), () => hear(payload)),
      }
      network.listeners.add(listener)
      return () => network.listeners.delete(listener)
    },
  }

  const { queue, log, checkpoints, schedules } = network.store
  return {
    name,
    runtime: {
      now: () => new Date(world.now() + skewed),
      monotonic: () => world.now(),
      uuid: () => `${name}-${(ids += 1)}`,
      randomBytes: (size) => Uint8Array.from({ length: size }, () => world.between(0, 255)),
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted === true) {
            reject(signal.reason as Error)
            return
          }
          if (ms === Number.POSITIVE_INFINITY) return
          const stop = (): void => reject(signal?.reason as Error)
          signal?.addEventListener('abort', stop, { once: true })
          deliver(world.now() + ms, () => {
            signal?.removeEventListener('abort', stop)
            resolve()
          })
        }),
    },
    store: {
      queue: remote(queue, 'queue'),
      log: remote(log, 'log'),
      checkpoints: remote(checkpoints, 'checkpoints'),
      ...(schedules === undefined ? {} : { schedules: remote(schedules, 'schedules') }),
      bus,
    },
    dead: () => isDead,
    die() {
      world.note(`crash ${name}`)
      isDead = true
    },
    freeze(ms) {
      world.note(`freeze ${name} ${ms}`)
      frozenUntil = world.now() + ms
    },
    partition(ms) {
      world.note(`partition ${name} ${ms}`)
      cutUntil = world.now() + ms
    },
    skew(ms) {
      world.note(`clock ${name} ${ms}`)
      skewed = ms
    },
  }
}
