import type { Cycle } from './cycle.ts'
import { entraCycle, oktaCycle } from './directories.ts'
import { galleryCycle } from './entra-gallery.ts'
import { googleCycle, jumpCloudCycle, oneLoginCycle, pingCycle } from './more-directories.ts'
import { entitlementsCycle } from './okta-entitlements.ts'
import { rfcCycle } from './rfc.ts'

/** The profiles, by name. */
export const CYCLES: ReadonlyMap<string, Cycle> = new Map(
  [
    rfcCycle,
    entraCycle,
    galleryCycle,
    oktaCycle,
    entitlementsCycle,
    oneLoginCycle,
    googleCycle,
    jumpCloudCycle,
    pingCycle,
  ].map((cycle) => [cycle.name, cycle]),
)
