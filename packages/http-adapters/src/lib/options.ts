import { callback, choice, kindOf, mountPath, optionCheck } from '@x/wire'
import type { AdapterOptions, FetchHandler } from './shapes.ts'

const isFunction = (value: unknown): boolean => typeof value === 'function'

const readOptions = optionCheck<AdapterOptions<never, never>>('adapter-errors.md', {
  basePath: mountPath,
  match: callback,
  context: callback,
  bodyLimit: kindOf('a number above 0', (value) => typeof value === 'number' && value > 0),
  trustProxy: kindOf(
    'true, false or a function',
    (value) => typeof value === 'boolean' || isFunction(value),
  ),
  origin: kindOf(
    "an origin such as 'https://app.example', or a function",
    (value) => isFunction(value) || (typeof value === 'string' && isOrigin(value)),
  ),
  onError: kindOf("a function or 'host'", (value) => value === 'host' || isFunction(value)),
  dotSegments: choice('pass', 'normalize'),
  request: choice('lean', 'genuine'),
})

/** Validates handler and options of a mount; throws a TypeError naming the function called and the option. */
export function checkOptions<Host, C>(
  called: string,
  handler: FetchHandler<C>,
  options: AdapterOptions<Host, C>,
): void {
  if (!isFunction(handler)) throw new TypeError(`${called}: ${handlerProblem(handler)}`)
  readOptions(called, options)
}

/** A service in the place of its handler is the likeliest mistake. */
function handlerProblem(given: unknown): string {
  const [name] = ['handler', 'handle'].filter((one) => isFunction(Object(given)[one]))
  return name === undefined
    ? 'the handler must be a function from a Request to a Response'
    : `the handler must be a function; pass the property ${name} of the service`
}

/** Normalises an origin; throws a TypeError unless it is an absolute http(s) origin. */
export function readOrigin(text: string): string {
  if (!isOrigin(text)) throw new TypeError(`Invalid option origin: ${text}`)
  return new URL(text).origin
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) && URL.canParse(text)
}
