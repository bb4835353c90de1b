import type { OpenAiOptions } from '../../options.ts'

const DEFAULTS: Required<OpenAiOptions> = {
  maxRuns: 256,
  store: true,
  timeoutMs: 600_000,
  fetchUrls: false,
}

/**
 * Applies the given options over the defaults; undefined counts as absent.
 * @throws TypeError naming the invalid option
 */
export function resolveOpenAiOptions(given: OpenAiOptions = {}): Required<OpenAiOptions> {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of entries as [string, unknown][]) {
    const standard: unknown = Object.hasOwn(DEFAULTS, name)
      ? Reflect.get(DEFAULTS, name)
      : undefined
    if (standard === undefined)
      throw new TypeError(`openai.${name} is not an option of the OpenAI interface`)
    if (typeof standard === 'boolean' && typeof value !== 'boolean')
      throw new TypeError(`openai.${name} must be true or false`)
    if (typeof standard === 'number' && !(Number.isInteger(value) && Number(value) >= 1))
      throw new TypeError(`openai.${name} must be an integer of at least 1`)
  }
  return { ...DEFAULTS, ...(Object.fromEntries(entries) as OpenAiOptions) }
}
