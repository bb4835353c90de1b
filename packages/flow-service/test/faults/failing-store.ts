import { setTimeout } from 'node:timers/promises'
import { StoreUnavailableError } from '@x/flow-engine/store'
import type { FlowStore } from '@x/flow-service/store'

/** A store of which a call fails as if the database had gone. */
export interface FailingStore {
  readonly store: FlowStore
  /** From now on the call of this number, from 1, fails; 0: none. Later calls succeed. */
  failAt(number: number): void
  /** As `failAt`, but the call waits for `release` before it fails. */
  hangAt(number: number): void
  release(): void
  /** From now on each call takes so many milliseconds longer. */
  delay(ms: number): void
  /** Whether that call was made. */
  hasFailed(): boolean
}

/** Wraps every method of every noun, inside transactions too. */
export function failingStore(inner: FlowStore): FailingStore {
  let at = 0
  let calls = 0
  let hung: Promise<void> | undefined
  let release = (): void => undefined
  let delayMs = 0
  const check = async (): Promise<void> => {
    calls += 1
    const fails = calls === at
    if (delayMs > 0) await setTimeout(delayMs)
    if (!fails) return
    await hung
    throw new StoreUnavailableError()
  }
  const wrapNoun = <Noun extends object>(noun: Noun): Noun =>
    new Proxy(noun, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...parameters: unknown[]): Promise<unknown> => {
          await check()
          return (member as (...given: unknown[]) => Promise<unknown>)(...parameters)
        }
      },
    })
  const wrap = (store: FlowStore): FlowStore => {
    const nouns = Object.entries(store).map(([name, noun]: [string, unknown]) => [
      name,
      typeof noun === 'object' && noun !== null ? wrapNoun(noun) : noun,
    ])
    return {
      ...(Object.fromEntries(nouns) as FlowStore),
      ping: async () => {
        await check()
        await store.ping()
      },
      transaction: async (work) => {
        await check()
        return store.transaction((tx) => work(wrap(tx)))
      },
    }
  }
  return {
    store: wrap(inner),
    failAt(number) {
      at = number
      calls = 0
      hung = undefined
    },
    hangAt(number) {
      at = number
      calls = 0
      hung = new Promise((resolve) => {
        release = resolve
      })
    },
    release: () => release(),
    delay: (ms) => void (delayMs = ms),
    hasFailed: () => at > 0 && calls >= at,
  }
}
