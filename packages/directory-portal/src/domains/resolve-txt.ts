import { withinTime } from '@x/wire'

/** Looks TXT records up: each is a list of its strings. Rejects with `code` of `node:dns`. */
export type ResolveTxt = (name: string) => Promise<readonly (readonly string[])[]>

interface Dns {
  readonly promises: { readonly resolveTxt: (name: string) => Promise<string[][]> }
}

/** The resolver of the runtime. @throws Error where there is none */
export const systemTxt: ResolveTxt = async (name) => {
  const process: unknown = Reflect.get(globalThis, 'process')
  const load: unknown =
    typeof process === 'object' && process !== null && Reflect.get(process, 'getBuiltinModule')
  const needed = 'resolveTxt is needed: this runtime has no DNS'
  if (typeof load !== 'function') throw new Error(needed)
  let dns: Dns
  try {
    dns = Reflect.apply(load, process, ['node:dns']) as Dns
  } catch (error) {
    throw new Error(needed, { cause: error })
  }
  return dns.promises.resolveTxt(name)
}

/** Settles like `promise`, but rejects after so many seconds. */
export const withinSeconds = <T>(promise: Promise<T>, seconds: number): Promise<T> =>
  withinTime(promise, seconds * 1_000, () => new Error(`No answer within ${seconds} s`))
