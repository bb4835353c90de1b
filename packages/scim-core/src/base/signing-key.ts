import { encodeBase64Url } from '@x/wire'
import type { CryptoKey, JWK } from 'jose'
import { builtInModule } from './built-in-module.ts'
import { sha256 } from './digest.ts'

export type { CryptoKey, JWK, JSONWebKeySet } from 'jose'

/** A private key that signs tokens; `jose` is loaded on first use. */
export interface SigningKey {
  /** The public part, for the JWKS endpoint. */
  readonly publicJwk: JWK
  /** @param typ the `typ` header, such as `at+jwt` */
  sign(claims: Readonly<Record<string, unknown>>, typ: string): Promise<string>
}

export interface SigningKeyOptions {
  /** A private signing key. */
  readonly key: CryptoKey | JWK
  readonly algorithm: string
  /** Default: `kid` of the JWK, else its thumbprint (RFC 7638). */
  readonly keyId?: string | undefined
}

/** @throws TypeError for a key without a private part, or whose public part cannot be derived */
export function createSigningKey({ key, algorithm, keyId }: SigningKeyOptions): SigningKey {
  const plain = isCryptoKey(key) ? publicOf(key) : withoutPrivate(key)
  const kid = keyId ?? plain.kid ?? thumbprint(plain)
  let imported: ReturnType<typeof importKey> | undefined
  return {
    publicJwk: { ...plain, kid, alg: algorithm, use: 'sig' },
    async sign(claims, typ) {
      const { SignJWT } = await import('jose')
      imported ??= importKey(key, algorithm)
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: algorithm, typ, kid })
        .sign(await imported)
    },
  }
}

async function importKey(key: CryptoKey | JWK, algorithm: string) {
  if (isCryptoKey(key)) return key
  const { importJWK } = await import('jose')
  return importJWK(key, algorithm)
}

function isCryptoKey(key: CryptoKey | JWK): key is CryptoKey {
  return !('kty' in key)
}

/** Only these members may be published (RFC 7518 section 6). */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid'] as const

function withoutPrivate(key: JWK): JWK {
  if (typeof key.d !== 'string') throw new TypeError('The key must be a private key')
  const entries = PUBLIC_MEMBERS.map((name) => [name, key[name]]).filter(([, value]) => value)
  return Object.fromEntries(entries) as JWK
}

interface NodeCrypto {
  readonly KeyObject: { from(key: CryptoKey): object }
  createPublicKey(key: object): { export(options: { readonly format: 'jwk' }): JWK }
}

function publicOf(key: CryptoKey): JWK {
  const crypto = builtInModule('node:crypto') as NodeCrypto | undefined
  if (crypto === undefined) throw new TypeError('This runtime accepts keys only as JWK')
  return crypto.createPublicKey(crypto.KeyObject.from(key)).export({ format: 'jwk' })
}

/** RFC 7638: the required members in alphabetical order. */
function thumbprint(key: JWK): string {
  const names = ['crv', 'e', 'kty', 'n', 'x', 'y'] as const
  const members = names.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]]))
  return encodeBase64Url(sha256(JSON.stringify(Object.fromEntries(members))))
}
