/** The versions that are written as names. */
export type VersionName = '0.8' | '0.9' | '0.9.1'

/** The version in force; without one 0.8. @throws TypeError for any other (SN-1) */
export function readVersion(version: unknown = '0.8'): VersionName {
  if (version === '0.8' || version === '0.9' || version === '0.9.1') return version
  if (version === '1.0') {
    throw new TypeError('Version 1.0 is experimental: import { v1 } from "@x/surface-protocol/v1".')
  }
  throw new TypeError('version: 0.8, 0.9 or 0.9.1')
}
