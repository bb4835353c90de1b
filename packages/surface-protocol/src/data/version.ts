/** The versions given by name. */
export type VersionName = '0.8' | '0.9' | '0.9.1'

/** A version provided as an object by its own subpath; its parts are private. */
export interface Protocol {
  readonly version: string
}

/** A version of the protocol. */
export type Version = VersionName | Protocol

/** Versions whose messages differ in more than the number. */
export type Family = '0.8' | '0.9' | '1.0'

/** Key under which a protocol stores its parts; shared by all copies of the package. */
const PARTS = Symbol.for('@x/surface-protocol/protocol-parts')

/** Creates a protocol from its parts; each area of the package declares those it needs. */
export function createProtocol(version: string, parts: object): Protocol {
  const protocol = { version }
  Object.defineProperty(protocol, PARTS, { value: parts })
  return Object.freeze(protocol)
}

/** The parts of a protocol; null for a version given by name. */
export function protocolParts(version: Version): object | null {
  return typeof version === 'string'
    ? null
    : (version as unknown as { readonly [PARTS]: object })[PARTS]
}

/** Validates a version; default 0.8. @throws TypeError for anything else */
export function readVersion(version: unknown = '0.8'): Version {
  if (version === '0.8' || version === '0.9' || version === '0.9.1') return version
  if (typeof version === 'object' && version !== null && PARTS in version) {
    return version as unknown as Protocol
  }
  if (version === '1.0') {
    throw new TypeError('Version 1.0 is experimental: import { v1 } from "@x/surface-protocol/v1".')
  }
  throw new TypeError('version must be 0.8, 0.9 or 0.9.1')
}

/** The number of a version: `0.9.1`. */
export function versionNumber(version: Version): string {
  return typeof version === 'string' ? version : version.version
}

/** The family of a version. */
export function familyOf(version: Version): Family {
  if (version === '0.8') return '0.8'
  return typeof version === 'string' ? '0.9' : '1.0'
}
