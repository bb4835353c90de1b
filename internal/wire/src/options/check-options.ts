import { OptionError } from './option-error.ts'
import { pathsOf, readObject, type KindsOf, type OptionKinds } from './option-kinds.ts'

/**
 * A check of one type of options: returns those that are given, each read once. In JavaScript as in TypeScript a
 * wrong, a missing or an unknown one is told with the name of the function that was called.
 * @throws OptionError
 */
export type OptionCheck<Options> = (called: string, options: unknown) => Options

/** The check of the options that `kinds` declares, one kind for each; `page` of the reference describes them. */
export function optionCheck<Options>(page: string, kinds: KindsOf<Options>): OptionCheck<Options> {
  const known = kinds as unknown as OptionKinds
  const paths = pathsOf(known)
  const needed = Object.keys(known).filter((name) => known[name]?.isRequired === true)
  return (called, options) => {
    if ((options === undefined || options === null) && needed.length > 0) {
      const message = `${called}: options are required (${needed.join(', ')})`
      throw new OptionError('', message, page)
    }
    return readObject(options ?? {}, known, { called, path: '', page, paths }) as Options
  }
}
