import { readVersion, type Version } from '../../data/version.ts'

/** The version that a program is compiled to. @throws TypeError for 0.8, whose messages no program describes */
export function targetVersion(version: Version): Version {
  const read = readVersion(version)
  if (read === '0.8') throw new TypeError('version must be 0.9, 0.9.1 or 1.0 for this format')
  return read
}
