import { isProfileName, SCIM_PROFILES, type ScimProfileName } from './profiles.ts'
import { isQuirk, type ScimQuirk } from './quirks.ts'

/** The SCIM client of a connection. */
export type ConnectionProvider =
  | 'entra'
  | 'okta'
  | 'google'
  | 'onelogin'
  | 'jumpcloud'
  | 'ping'
  | 'sailpoint'
  | 'other'

/** Options for one customer; each overrides the option with the same name. */
export interface ConnectionSettings {
  readonly deleteUser?: 'deactivate' | 'tombstone' | 'remove'
  readonly userName?: 'email' | 'any'
  readonly recreate?: 'same' | 'name' | 'externalId' | 'never'
  readonly quirks?: 'all' | 'none' | Partial<Record<ScimQuirk, boolean>>
  readonly unknownMembers?: 'reject' | 'skip'
  readonly emptyMembers?: 'array' | 'omit'
  readonly putWithoutMembers?: 'clear' | 'keep'
  /** Seconds without a request after which the connection is silent; 0: never. Default 86,400. */
  readonly silenceAfter?: number
  /** Options of `SCIM_PROFILES` for this customer; the other settings here take precedence. */
  readonly profile?: ScimProfileName
  /** Its requests are answered with 503 and a long Retry-After. Default false. */
  readonly paused?: boolean
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  deleteUser: ['deactivate', 'tombstone', 'remove'],
  userName: ['email', 'any'],
  recreate: ['same', 'name', 'externalId', 'never'],
  unknownMembers: ['reject', 'skip'],
  emptyMembers: ['array', 'omit'],
  putWithoutMembers: ['clear', 'keep'],
}

/**
 * What each provider needs besides the defaults: Google expects 404 after DELETE, Okta deactivates and creates
 * anew a person whose login changes, and JumpCloud, which sends no externalId, activates a person by POST,
 * DELETE and POST.
 */
export const PROVIDER_PRESETS: Readonly<
  Record<ConnectionProvider, Pick<ConnectionSettings, 'deleteUser' | 'recreate'>>
> = {
  entra: {},
  okta: { recreate: 'externalId' },
  google: { deleteUser: 'tombstone' },
  onelogin: {},
  jumpcloud: { recreate: 'name' },
  ping: {},
  sailpoint: {},
  other: {},
}

/** The settings of a new connection: those given, then those of its profile, then what its provider needs. */
export function withPreset(
  provider: ConnectionProvider,
  settings: ConnectionSettings,
): ConnectionSettings {
  const { profile } = settings
  const decided = profile === undefined ? {} : SCIM_PROFILES[profile]
  const preset = Object.entries(PROVIDER_PRESETS[provider])
  return {
    ...Object.fromEntries(preset.filter(([name]) => !Object.hasOwn(decided, name))),
    ...settings,
  }
}

/** @throws TypeError naming the invalid setting */
export function readConnectionSettings(value: unknown): ConnectionSettings {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('settings must be an object')
  }
  for (const [key, setting] of Object.entries(value) as [string, unknown][]) {
    if (key === 'quirks') assertQuirks(setting)
    else if (key === 'profile') assertProfile(setting)
    else if (key === 'paused') assertPaused(setting)
    else if (key === 'silenceAfter') assertSilence(setting)
    else if (!Object.hasOwn(WORDS, key)) throw new TypeError(`Unknown setting ${key.slice(0, 50)}`)
    else if (!WORDS[key]?.some((word) => word === setting)) {
      throw new TypeError(`settings.${key} must be one of ${WORDS[key]?.join(', ')}`)
    }
  }
  return { ...value }
}

function assertPaused(value: unknown): void {
  if (typeof value !== 'boolean') throw new TypeError('settings.paused must be a boolean')
}

function assertProfile(value: unknown): void {
  if (isProfileName(value)) return
  throw new TypeError(`settings.profile must be one of ${Object.keys(SCIM_PROFILES).join(', ')}`)
}

const YEAR_SECONDS = 31_536_000

function assertSilence(value: unknown): void {
  const isCount = typeof value === 'number' && Number.isInteger(value)
  if (isCount && value >= 0 && value <= YEAR_SECONDS) return
  throw new TypeError(`settings.silenceAfter must be an integer from 0 to ${YEAR_SECONDS}`)
}

function assertQuirks(value: unknown): void {
  if (value === 'all' || value === 'none') return
  if (typeof value !== 'object' || value === null) {
    throw new TypeError('settings.quirks must be all, none or an object of switches')
  }
  for (const [name, isOn] of Object.entries(value) as [string, unknown][]) {
    if (!isQuirk(name)) throw new TypeError(`settings.quirks has no switch ${name.slice(0, 50)}`)
    if (typeof isOn !== 'boolean') throw new TypeError(`settings.quirks.${name} must be a boolean`)
  }
}
