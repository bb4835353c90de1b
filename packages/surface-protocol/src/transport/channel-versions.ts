import { familyOf, readVersion, versionNumber, type Version } from '../data/version.ts'
import { quote, SurfaceError, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { createAdapter } from '../interop/version-adapter.ts'
import { defined } from '../json.ts'
import type { AnyClientMessage, AnyServerMessage } from '../message/any-message.ts'
import type { AnySurfaceStore } from '../store/store.ts'

/** Converts the messages of a channel to another version, in order. */
export interface MessageConverter {
  readonly push: (message: AnyServerMessage) => AnyServerMessage[]
  /** A client's action in the version of the channel. */
  readonly back: (message: AnyClientMessage) => AnyClientMessage
  /** The losses since the last call. */
  readonly takeLosses: () => readonly SurfaceDiagnostic[]
}

/**
 * Creates a converter between two versions.
 * @param options.store evaluates functions the other version lacks
 */
export function createConverter(
  from: Version,
  to: Version,
  options: {
    readonly store: AnySurfaceStore | undefined
    readonly catalogAliases: Readonly<Record<string, string>> | undefined
  },
): MessageConverter {
  if (from === to) {
    return { push: (message) => [message], back: (message) => message, takeLosses: () => [] }
  }
  const adapter = createAdapter({ from, to, ...defined(options) }, true)
  let taken = 0
  return {
    push: (message) => adapter.push(message) as unknown as AnyServerMessage[],
    back(message) {
      const [converted] = adapter.push(message)
      return converted === undefined ? message : (converted as unknown as AnyClientMessage)
    },
    takeLosses() {
      const losses = adapter.diagnostics.slice(taken)
      taken += losses.length
      return losses
    },
  }
}

/** The version of a client's action: `0.8`, or the one it names; null for other messages. */
export function versionOfAction(message: AnyClientMessage): string | null {
  if ('userAction' in message) return '0.8'
  return 'action' in message ? message.version.slice(1) : null
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
