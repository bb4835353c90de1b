import { isObject, parseJson } from '@x/wire'

/** Money for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Of input that the vendor read from its cache. Default: as `input`. */
  readonly cachedInput?: number
}

/**
 * Prices in one currency of the host's choice, by the name of the model: exactly, else the longest name that it begins
 * with before `-` or `@`, else `*`.
 */
export type Prices =
  | { readonly [model: string]: Price }
  | ((model: { readonly provider?: string; readonly name: string }) => Price | undefined)

/** The price of a model; undefined if there is none. */
export function priceOf(
  prices: Prices,
  { provider, name }: { readonly provider?: string | undefined; readonly name: string },
): Price | undefined {
  if (typeof prices === 'function')
    return prices({ ...(provider === undefined || provider === '' ? {} : { provider }), name })
  if (Object.hasOwn(prices, name)) return prices[name]
  for (let end = name.length - 1; end > 0; end -= 1) {
    const key = name.slice(0, end)
    if ((name[end] === '-' || name[end] === '@') && Object.hasOwn(prices, key)) return prices[key]
  }
  return Object.hasOwn(prices, '*') ? prices['*'] : undefined
}

/**
 * Reads prices from JSON: an object of `{ "input": 2.5, "output": 10 }` by model.
 * @throws TypeError naming the model and field that is wrong
 */
export function pricesFromJson(text: string): Prices {
  let given: unknown
  try {
    given = parseJson(text)
  } catch (error) {
    throw new TypeError('Prices must be JSON', { cause: error })
  }
  if (!isObject(given)) throw new TypeError('Prices must be an object')
  return Object.fromEntries(
    Object.entries(given).map(([name, price]) => [name, readPrice(name, price)]),
  )
}

function readPrice(name: string, price: unknown): Price {
  if (!isObject(price)) throw new TypeError(`The price of ${name} must be an object`)
  const read = (key: string): number => {
    const value = price[key]
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
    throw new TypeError(`The price of ${name}: ${key} must be a number of at least 0`)
  }
  const cached = price['cachedInput']
  return {
    input: read('input'),
    output: read('output'),
    ...(cached === undefined ? {} : { cachedInput: read('cachedInput') }),
  }
}
