import type { QuirkSwitches } from './quirks.ts'

/** Requests per tenant: a token bucket in this process. */
export interface RateLimit {
  /** At least 25. */
  readonly perSecond: number
  /** Maximum burst of requests. Default: twice `perSecond`. */
  readonly burst?: number
}

/** A SCIM profile and the draft that specifies it. */
export interface ScimProfile {
  readonly name: ScimProfileName
  readonly draft: string
}

export type ScimProfileName = 'interop' | 'ipsie-al2'

/** The options of `interop`. */
export interface InteropOptions {
  readonly profile: ScimProfile
  readonly deleteUser: 'remove'
  readonly unknownAttributes: 'reject'
  readonly etag: false
  readonly requirePatchPath: true
  readonly replaceComplex: 'whole'
  readonly quirks: QuirkSwitches
}

/** Additional options of `ipsie-al2`. */
export interface IpsieOptions extends InteropOptions {
  readonly bulk: true
  readonly cursor: true
  readonly password: 'reject'
  readonly rateLimit: RateLimit
}

const interop: InteropOptions = {
  profile: { name: 'interop', draft: 'draft-zollner-scim-interop-profile-01' },
  deleteUser: 'remove',
  unknownAttributes: 'reject',
  etag: false,
  requirePatchPath: true,
  replaceComplex: 'whole',
  quirks: {
    opCase: true,
    booleanStrings: false,
    emptyOperations: false,
    filterMissCreates: false,
    removeValueList: true,
    memberShorthand: true,
    pathKeys: false,
    readOnlyInValue: false,
    singletonArrays: false,
    managerShorthand: false,
    unprefixedExtension: false,
    valuePathSub: false,
    bareFilterValues: false,
    legacySchemas: false,
    barePatchBody: false,
    missingSchemas: false,
    unknownPaths: false,
    dottedExtension: false,
    coreObject: false,
    valueShorthand: false,
    jsonRoles: false,
    numberStrings: false,
    extraSlashes: false,
    emptyElements: false,
    samePrimary: false,
    discoveryAliases: false,
    jsonText: false,
  },
}

/**
 * Options for services that follow a profile, to be spread: `createScimService({ ...SCIM_PROFILES.interop,
 * store, baseUrl, auth })`. The drafts evolve; `profile` names the version an entry follows.
 */
export const SCIM_PROFILES: {
  readonly interop: InteropOptions
  readonly 'ipsie-al2': IpsieOptions
} = {
  interop,
  'ipsie-al2': {
    ...interop,
    profile: { name: 'ipsie-al2', draft: 'draft-schreiber-ipsie-scim-profile-00' },
    bulk: true,
    cursor: true,
    password: 'reject',
    rateLimit: { perSecond: 50, burst: 100 },
  },
}

/** Returns whether a name is a profile name. */
export function isProfileName(name: unknown): name is ScimProfileName {
  return typeof name === 'string' && Object.hasOwn(SCIM_PROFILES, name)
}
