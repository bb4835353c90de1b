import { createLocalJWKSet, errors } from 'jose'
import type { JSONWebKeySet } from '../base/signing-key.ts'
import type { KeySource } from './key-source.ts'

/** A finder caches imported keys; importing costs more than verifying. */
const finders = new WeakMap<JSONWebKeySet, ReturnType<typeof createLocalJWKSet>>()

export function finderOf(keys: JSONWebKeySet): ReturnType<typeof createLocalJWKSet> {
  const known = finders.get(keys)
  if (known !== undefined) return known
  const finder = createLocalJWKSet(keys)
  finders.set(keys, finder)
  return finder
}

/** The keys cannot be fetched at the moment. */
export class KeysUnavailable extends Error {}

/**
 * Verifies with the known keys, and again with fresh ones if none matches.
 * @throws KeysUnavailable
 */
export async function verified<Result>(
  source: KeySource,
  verify: (keys: JSONWebKeySet) => Promise<Result>,
): Promise<Result> {
  const keys = await source.keys()
  if (keys === null) throw new KeysUnavailable()
  try {
    return await verify(keys)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    const fresh = await source.fresh()
    if (fresh === null || (fresh === keys && source.hasFailed())) throw new KeysUnavailable()
    if (fresh === keys) throw error
    return verify(fresh)
  }
}
