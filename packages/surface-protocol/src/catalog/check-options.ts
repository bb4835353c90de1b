import { nearest } from './nearest.ts'

/**
 * Refuses options that a function does not have; those that are undefined count as absent.
 * @throws TypeError with `code` `invalid_option` and `option`
 */
export function checkOptions(
  called: string,
  options: object,
  known: Readonly<Record<string, true>>,
): void {
  const unknown = Object.keys(options).find(
    (name) =>
      !Object.hasOwn(known, name) && (options as Record<string, unknown>)[name] !== undefined,
  )
  if (unknown === undefined) return
  const names = Object.keys(known)
  const near = nearest(unknown, names)
  const advice =
    near === undefined ? `Known options: ${names.toSorted().join(', ')}` : `Did you mean "${near}"?`
  const error = new TypeError(`${called}: unknown option "${unknown.slice(0, 60)}". ${advice}`)
  throw Object.assign(error, { code: 'invalid_option', option: unknown })
}

/** The names of all options of a type, so that none is forgotten. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true }
