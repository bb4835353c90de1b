import { familyOf, readVersion, versionNumber, type Version } from '../data/version.ts'
import { quote, SurfaceError, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { createVersionAdapter } from '../interop/version-adapter.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import type { AnySurfaceStore } from '../store/store.ts'

/** Converts the messages of a channel to another version, in order. */
export interface MessageConverter {
  readonly push: (message: AnyServerMessage) => AnyServerMessage[]
  /** The losses since the last call (SN-58). */
  readonly takeLosses: () => readonly SurfaceDiagnostic[]
}

/**
 * Creates a converter between two versions (SN-57).
 * @param store evaluates functions the other version lacks (SN-59)
 */
export function createConverter(
  from: Version,
  to: Version,
  store: AnySurfaceStore | undefined,
): MessageConverter {
  if (from === to) return { push: (message) => [message], takeLosses: () => [] }
  const options = store === undefined ? { from, to } : { from, to, store }
  const adapter = createVersionAdapter(options)
  let taken = 0
  return {
    push: (message) => adapter.push(message) as unknown as AnyServerMessage[],
    takeLosses() {
      const losses = adapter.diagnostics.slice(taken)
      taken += losses.length
      return losses
    },
  }
}

/** The versions served by a channel, starting with its own. @throws TypeError */
export function readVersions(
  own: Version,
  versions: readonly Version[] = [own],
): readonly Version[] {
  return [...new Set([own, ...versions.map((version) => readVersion(version))])]
}

/** @throws SurfaceError `unsupported_version` */
export function refuseVersion(version: Version, served: readonly Version[]): never {
  const names = served.map(versionNumber).join(', ')
  throw new SurfaceError({
    code: 'unsupported_version',
    detail: `The channel serves ${names}, not ${quote(versionNumber(version))}.`,
  })
}

/** The message that deletes a surface. */
export function deletion(surfaceId: string, version: Version): AnyServerMessage {
  const payload = { deleteSurface: { surfaceId } }
  if (version === '0.8') return payload
  return { version: `v${versionNumber(version)}`, ...payload } as AnyServerMessage
}

/** Returns whether a store contains messages of a version. */
export function isOfFamily(storeVersion: string, version: Version): boolean {
  const family = familyOf(version)
  return family === '0.9' ? storeVersion.startsWith(family) : storeVersion === family
}
