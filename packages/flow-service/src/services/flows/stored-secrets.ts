import { eventLoopTurn, isObject } from '@x/wire'
import { SEALED_KINDS, type SealedKind, type SealedValue } from '../../store/sealed-values.ts'
import { sealedSettings } from './auth-settings.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import type { SecretBox } from '../crypto/secret-box.ts'

/** A value that no given key opens. */
export interface UnreadableValue {
  readonly kind: SealedKind
  readonly name: string
  readonly userId: string
}

/** What `reencrypt` has done so far. */
export interface Reencrypted {
  /** Values that are encrypted with the current key since this call. */
  readonly reencrypted: number
  /** Values that were changed by others at the same time and have to be looked at again. */
  readonly left: number
  /** Values that no given key opens. */
  readonly unreadable: readonly UnreadableValue[]
}

/** Options of `reencrypt`. */
export interface ReencryptOptions {
  readonly signal?: AbortSignal
  /** Called after each page of values. */
  readonly onProgress?: (done: Reencrypted) => void
}

/** The encrypted values of all users. */
export interface SecretService {
  /**
   * Encrypts every value again with the current secret key, while servers run. It can be interrupted and repeated.
   * @throws TypeError if the store has no `sealed`
   */
  reencrypt(options?: ReencryptOptions): Promise<Reencrypted>
  /** Values that no given key opens, among the first 1,000. */
  unreadable(signal?: AbortSignal): Promise<readonly UnreadableValue[]>
}

const PAGE = 100
/** Values that are looked at when an engine starts. */
const MOST_LOOKED_AT = 1000
/** Times that all is looked through, if others change values meanwhile. */
const PASSES = 5

export function createSecretService({ store, secrets }: ServiceDependencies): SecretService {
  async function* pages(signal?: AbortSignal): AsyncGenerator<readonly SealedValue[]> {
    if (store.sealed === undefined)
      throw new TypeError('Encrypting again needs a store with the member sealed')
    for (const kind of SEALED_KINDS) {
      for (let after: string | null = null; ;) {
        signal?.throwIfAborted()
        const page: SealedValue[] = await store.sealed.list({ kind, after, limit: PAGE })
        if (page.length > 0) yield page
        if (page.length < PAGE) break
        after = page.at(-1)?.key ?? null
        await eventLoopTurn()
      }
    }
  }
  const exchange = async (value: SealedValue, by: string): Promise<boolean> =>
    (await store.sealed?.exchange(value, by)) === true
  const sealAgain = async (value: SealedValue): Promise<'kept' | 'done' | 'left' | 'lost'> => {
    const fresh = await resealed(secrets, value)
    if (fresh === 'kept' || fresh === 'lost') return fresh
    if (!(await exchange(value, fresh.value))) return 'left'
    return fresh.isWhole ? 'done' : 'lost'
  }
  return {
    async reencrypt({ signal, onProgress } = {}) {
      let done: Reencrypted = { reencrypted: 0, left: 0, unreadable: [] }
      for (let pass = 0; pass === 0 || (done.left > 0 && pass < PASSES); pass += 1) {
        done = { ...done, left: 0, unreadable: [] }
        for await (const page of pages(signal)) {
          for (const value of page) {
            signal?.throwIfAborted()
            done = counted(done, await sealAgain(value), value)
          }
          onProgress?.(done)
        }
      }
      return done
    },
    async unreadable(signal) {
      const found: UnreadableValue[] = []
      if (store.sealed === undefined) return found
      let seen = 0
      for await (const page of pages(signal)) {
        for (const value of page) {
          if (seen === MOST_LOOKED_AT) return found
          seen += 1
          const opened = await Promise.all(
            sealedParts(value).map((part) => secrets.open(part.sealed, part.context)),
          )
          if (opened.includes(null)) found.push(named(value))
        }
      }
      return found
    },
  }
}

function counted(
  { reencrypted, left, unreadable }: Reencrypted,
  result: 'kept' | 'done' | 'left' | 'lost',
  value: SealedValue,
): Reencrypted {
  return {
    reencrypted: reencrypted + (result === 'done' ? 1 : 0),
    left: left + (result === 'left' ? 1 : 0),
    unreadable: result === 'lost' ? [...unreadable, named(value)] : unreadable,
  }
}

const named = ({ kind, name, userId }: SealedValue): UnreadableValue => ({ kind, name, userId })

interface SealedPart {
  readonly sealed: string
  readonly context: string
}

/** The encrypted parts of a value: of a project's settings those that are secrets, else the whole. */
function sealedParts({ kind, value, userId, name }: SealedValue): SealedPart[] {
  if (kind === 'project')
    return sealedSettings(parsed(value)).map(([, sealed]) => ({ sealed, context: userId }))
  const context = kind === 'collection' ? `collection/knowledge/${userId}/${name}` : userId
  return [{ sealed: value, context }]
}

/** The value encrypted with the current key; whole if all of its parts could be opened. */
async function resealed(
  secrets: SecretBox,
  value: SealedValue,
): Promise<{ readonly value: string; readonly isWhole: boolean } | 'kept' | 'lost'> {
  const parts = await Promise.all(
    sealedParts(value).map(async ({ sealed, context }) => {
      if ((await secrets.isCurrent?.(sealed, context)) === true) return sealed
      const text = await secrets.open(sealed, context)
      return text === null ? null : await secrets.seal(text, context)
    }),
  )
  const before = sealedParts(value).map(({ sealed }) => sealed)
  const after = parts.map((part, index) => part ?? before[index] ?? '')
  const isWhole = !parts.includes(null)
  if (after.every((part, index) => part === before[index])) return isWhole ? 'kept' : 'lost'
  if (value.kind !== 'project') return { value: after[0] ?? value.value, isWhole }
  const settings = parsed(value.value)
  const keys = sealedSettings(settings).map(([key]) => key)
  const fresh = Object.fromEntries(keys.map((key, index) => [key, after[index]]))
  return { value: JSON.stringify({ ...settings, ...fresh }), isWhole }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}
