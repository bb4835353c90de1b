import { isObject } from '@x/wire'

/** A private key as JWK (RFC 7517), with which cards are signed. */
export interface SigningKey {
  readonly kty: string
  readonly kid: string
  /** ES256, ES384, RS256 or EdDSA. */
  readonly alg: string
  readonly [member: string]: unknown
}

/** Type and curve for each algorithm. */
const KINDS: Readonly<Record<string, readonly [string, string?]>> = {
  ES256: ['EC', 'P-256'],
  ES384: ['EC', 'P-384'],
  RS256: ['RSA'],
  EdDSA: ['OKP', 'Ed25519'],
}
/** What a public key has, by its type. */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  RSA: ['n', 'e'],
  OKP: ['crv', 'x'],
}

/** @throws TypeError saying what is wrong */
export function readSigningKey(given: unknown): SigningKey {
  if (!isObject(given)) throw new TypeError('the key must be a private JWK')
  const { kty, kid, alg, crv, d } = given
  if (typeof kid !== 'string' || kid === '') throw new TypeError('the key must have a kid')
  const kind = typeof alg === 'string' && Object.hasOwn(KINDS, alg) ? KINDS[alg] : undefined
  if (kind === undefined)
    throw new TypeError(`alg of the key must be one of ${Object.keys(KINDS).join(', ')}`)
  const [type, curve] = kind
  if (kty !== type || (curve !== undefined && crv !== curve))
    throw new TypeError(`the key must be of type ${[type, curve].filter(Boolean).join(' ')}`)
  if (typeof d !== 'string' || d === '')
    throw new TypeError('the key must be private: d is missing')
  const missing = PUBLIC[type]?.find((name) => typeof given[name] !== 'string')
  if (missing !== undefined) throw new TypeError(`${missing} of the key is missing`)
  return given as unknown as SigningKey
}

/** The public key, with nothing of the private one. */
export function publicKeyOf({ kty, kid, alg, ...members }: SigningKey): object {
  const shown = (PUBLIC[kty] ?? []).map((name) => [name, members[name]] as const)
  return { kty, kid, alg, use: 'sig', ...Object.fromEntries(shown) }
}
