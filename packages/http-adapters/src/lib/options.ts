import type { AdapterOptions, FetchHandler } from './shapes.ts'

type Checks = {
  readonly [Name in keyof Required<AdapterOptions<never>>]: (value: unknown) => boolean
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const CHECKS: Checks = {
  basePath: (value) => typeof value === 'string' && /^\/(?:[^?#]*[^?#/])?$/.test(value),
  match: isFunction,
  context: isFunction,
  bodyLimit: (value) => typeof value === 'number' && value > 0,
  trustProxy: (value) => typeof value === 'boolean' || isFunction(value),
  origin: (value) => isFunction(value) || (typeof value === 'string' && isOrigin(value)),
  onError: (value) => value === 'host' || isFunction(value),
  dotSegments: (value) => value === 'pass' || value === 'normalize',
  request: (value) => value === 'lean' || value === 'genuine',
}

/** Validates handler and options of a mount; throws a TypeError naming the option. */
export function checkOptions<Host, C>(
  handler: FetchHandler<C>,
  options: AdapterOptions<Host, C>,
): void {
  if (typeof handler !== 'function') throw new TypeError('handler must be a function')
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) throw new TypeError(`Unknown option ${name}`)
    if (value !== undefined && !CHECKS[name as keyof Checks](value)) {
      throw new TypeError(`Invalid option ${name}: ${String(value)}`)
    }
  }
}

/** Normalises an origin; throws a TypeError unless it is an absolute http(s) origin. */
export function readOrigin(text: string): string {
  if (!isOrigin(text)) throw new TypeError(`Invalid option origin: ${text}`)
  return new URL(text).origin
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) && URL.canParse(text)
}
