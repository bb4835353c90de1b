import { isObject } from '@x/wire'

/** The identity of a workload at another issuer, whose assertions stand for a secret. All are compared exactly. */
export interface ClientFederation {
  readonly issuer: string
  readonly subject: string
  readonly audience: string
  /** Where the issuer publishes its keys, https. */
  readonly jwksUri: string
}

const NAMES = ['issuer', 'subject', 'audience', 'jwksUri'] as const
const MAX_LENGTH = 2_048

/** @throws TypeError naming the field */
export function readFederation(value: unknown): ClientFederation {
  if (!isObject(value)) throw new TypeError('federation must be an object')
  const unknown = Object.keys(value).find((name) => !NAMES.some((known) => known === name))
  if (unknown !== undefined) throw new TypeError(`federation has no ${unknown.slice(0, 50)}`)
  const text = (name: (typeof NAMES)[number]): string => {
    const given = value[name]
    if (typeof given === 'string' && given !== '' && given.length <= MAX_LENGTH) return given
    throw new TypeError(`federation.${name} must be a string of 1 to ${MAX_LENGTH} characters`)
  }
  const jwksUri = text('jwksUri')
  if (!isKeyAddress(jwksUri)) throw new TypeError('federation.jwksUri must be an https URL')
  return { issuer: text('issuer'), subject: text('subject'), audience: text('audience'), jwksUri }
}

/** https, or http on loopback, which the guard of the request may still refuse. */
function isKeyAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}
