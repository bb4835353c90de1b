import { SCIM_PROFILES, type RateLimit, type ScimProfile } from '../base/profiles.ts'
import type { QuirkSwitches } from '../base/quirks.ts'

/** The options determined by a profile, with their defaults. */
export interface ProfileConfig {
  readonly profile: ScimProfile | undefined
  readonly deleteUser: 'deactivate' | 'tombstone' | 'remove'
  readonly rejectUnknown: boolean
  readonly etag: boolean
  readonly requirePatchPath: boolean
  readonly replaceComplex: 'merge' | 'whole'
  readonly quirks: QuirkSwitches
  readonly bulk: boolean
  readonly cursor: { readonly ttl: number; readonly secret: string | undefined } | null
  readonly rejectPassword: boolean
  readonly rateLimit: RateLimit | null
}

type ProfileOptions = (typeof SCIM_PROFILES)[keyof typeof SCIM_PROFILES]

/** The options overridden by those of a profile; `cursor` is used if the service has none. */
export function withProfile<Config extends ProfileConfig>(
  config: Config,
  options: ProfileOptions,
  cursor: NonNullable<ProfileConfig['cursor']>,
): Config {
  const { profile, deleteUser, etag, requirePatchPath, replaceComplex, quirks } = options
  return {
    ...config,
    profile,
    deleteUser,
    etag,
    requirePatchPath,
    replaceComplex,
    quirks,
    rejectUnknown: true,
    ...('bulk' in options && {
      bulk: options.bulk,
      cursor: config.cursor ?? cursor,
      rejectPassword: true,
      rateLimit: config.rateLimit ?? options.rateLimit,
    }),
  }
}

/** True if the options still match the profile they name. */
export function isProfileConformant(config: ProfileConfig): boolean {
  if (config.profile === undefined) return false
  const { profile: _profile, ...wanted } = SCIM_PROFILES[config.profile.name]
  const present = {
    ...config,
    unknownAttributes: config.rejectUnknown ? 'reject' : 'ignore',
    password: config.rejectPassword ? 'reject' : 'ignore',
    cursor: config.cursor !== null,
  }
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(Reflect.get(present, name)) === JSON.stringify(value),
  )
}
