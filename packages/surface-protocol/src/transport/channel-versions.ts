import { readVersion, type VersionName } from '../data/version.ts'
import { quote, SurfaceError } from '../diagnostics/errors.ts'
import { createV08Adapter } from '../interop/to-v08.ts'
import { createV09Adapter } from '../interop/to-v09.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import type { ServerMessage } from '../message/v08/messages.ts'

/** Converts the messages of a channel to another version, in order. */
export type MessageConverter = (message: AnyServerMessage) => AnyServerMessage[]

/** A converter between two versions, without any state yet (SN-57). */
export function createConverter(from: VersionName, to: VersionName): MessageConverter {
  const named = (message: object): AnyServerMessage =>
    ({ ...message, version: `v${to}` }) as AnyServerMessage
  if (from === '0.8') {
    if (to === '0.8') return (message) => [message]
    const adapter = createV09Adapter()
    return (message) => adapter.push(message as ServerMessage).map(named)
  }
  if (to !== '0.8') return (message) => [named(message)]
  const adapter = createV08Adapter()
  return (message) => adapter.push(message)
}

/** The versions that a channel serves, its own first. @throws TypeError */
export function readVersions(
  own: VersionName,
  versions: readonly VersionName[] = [own],
): readonly VersionName[] {
  return [...new Set([own, ...versions.map((version) => readVersion(version))])]
}

/** @throws SurfaceError `unsupported_version` */
export function refuseVersion(version: string, served: readonly VersionName[]): never {
  throw new SurfaceError({
    code: 'unsupported_version',
    detail: `The channel serves ${served.join(', ')}, not ${quote(version)}.`,
  })
}
