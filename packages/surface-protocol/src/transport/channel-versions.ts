import { familyOf, readVersion, versionNumber, type Version } from '../data/version.ts'
import { quote, SurfaceError } from '../diagnostics/errors.ts'
import { createVersionAdapter } from '../interop/version-adapter.ts'
import type { AnyServerMessage } from '../message/any-message.ts'

/** Converts the messages of a channel to another version, in order. */
export type MessageConverter = (message: AnyServerMessage) => AnyServerMessage[]

/** A converter between two versions, without any state yet (SN-57). */
export function createConverter(from: Version, to: Version): MessageConverter {
  if (from === to) return (message) => [message]
  const adapter = createVersionAdapter({ from, to })
  return (message) => adapter.push(message) as unknown as AnyServerMessage[]
}

/** The versions that a channel serves, its own first. @throws TypeError */
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

/** Whether a store holds messages of a version. */
export function isOfFamily(storeVersion: string, version: Version): boolean {
  const family = familyOf(version)
  return family === '0.9' ? storeVersion.startsWith(family) : storeVersion === family
}
