import { withinTime } from '@x/wire'
import { createAsyncContext, type AsyncContext } from './async-context.ts'
import { ScimReentryError } from './errors.ts'
import type { OutboxStore } from './outbox.ts'

/** A hook running inside a transaction of `owner`, possibly within a hook of another one. */
interface RunningHook {
  readonly owner: object
  readonly outer: RunningHook | undefined
  isOver: boolean
}

let context: AsyncContext<RunningHook> | null | undefined
/** Time limit of a hook, because the database's writer waits for it. */
const HOOK_SECONDS = 30

/** Number of running hooks. */
let hooks = 0

/** Key on a store for the owner of its transactions, such as a database shared by two stores. */
export const HOOK_OWNER: unique symbol = Symbol.for('x.scim.hook-owner') as never

/** The owner of a store's transactions; the store itself unless it names another. */
export function hookOwnerOf(store: object): object {
  const owner: unknown = Reflect.get(store, HOOK_OWNER)
  return typeof owner === 'object' && owner !== null ? owner : store
}

/**
 * Runs a host's hook and registers it for `assertOutsideHook` until it has ended. Rejects after 30
 * s, so that its transaction is rolled back.
 */
export async function runHook<Result>(
  owner: object,
  hook: () => Result | Promise<Result>,
): Promise<Result> {
  context ??= createAsyncContext<RunningHook>()
  if (context === null) return hook()
  const running: RunningHook = { owner, outer: context.current(), isOver: false }
  hooks += 1
  try {
    const result = context.run(running, hook)
    return isThenable(result) ? await withinTime(result, HOOK_SECONDS * 1_000, lateHook) : result
  } finally {
    running.isOver = true
    hooks -= 1
    if (hooks === 0) context.stop()
  }
}

function lateHook(): Error {
  return new Error(`A hook has not ended after ${HOOK_SECONDS} s; its transaction is rolled back`)
}

/** A hook may return any thenable. */
function isThenable<Result>(value: Result | Promise<Result>): value is Promise<Result> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/**
 * Rejects a call that would wait for the transaction whose hook makes it.
 * @throws ScimReentryError
 */
export function assertOutsideHook(owner: object, method: string): void {
  for (let hook = context?.current(); hook !== undefined; hook = hook.outer) {
    if (hook.owner === owner && !hook.isOver) throw new ScimReentryError(method)
  }
}

/**
 * Wraps a part of a store so that its methods first run a check and reject with its error. `iterables`
 * names methods that return an async iterable.
 */
export function guardedStore<Part extends object>(
  part: Part,
  check: (method: string) => void,
  iterables: readonly string[] = [],
): Part {
  const members = Object.entries(part).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member]
    const method = member as (...parameters: unknown[]) => unknown
    return [
      name,
      (...parameters: unknown[]): unknown => {
        try {
          check(name)
        } catch (error) {
          return iterables.includes(name) ? failing(error) : Promise.reject(error)
        }
        return method(...parameters)
      },
    ]
  })
  return Object.fromEntries(members) as Part
}

/** The same for an outbox and its parts. */
export function guardedOutbox(outbox: OutboxStore, check: (method: string) => void): OutboxStore {
  return {
    ...guardedStore(outbox, check),
    endpoints: guardedStore(outbox.endpoints, (name) => check(`endpoints.${name}`)),
    deliveries: guardedStore(outbox.deliveries, (name) => check(`deliveries.${name}`)),
  }
}

// oxlint-disable-next-line require-yield -- it yields nothing
async function* failing(error: unknown): AsyncGenerator<never> {
  throw error
}
