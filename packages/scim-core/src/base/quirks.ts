import { ScimConfigError } from './errors.ts'

/** The tolerances of section 11 of the specification, one switch each. */
export const SCIM_QUIRKS = [
  'opCase',
  'booleanStrings',
  'emptyOperations',
  'filterMissCreates',
  'removeValueList',
  'memberShorthand',
  'pathKeys',
  'readOnlyInValue',
  'singletonArrays',
  'managerShorthand',
  'unprefixedExtension',
  'valuePathSub',
  'bareFilterValues',
  'legacySchemas',
  'barePatchBody',
  'missingSchemas',
  'unknownPaths',
  'dottedExtension',
  'coreObject',
  'valueShorthand',
  'jsonRoles',
  'numberStrings',
  'extraSlashes',
  'emptyElements',
  'samePrimary',
  'discoveryAliases',
  'jsonText',
] as const

export type ScimQuirk = (typeof SCIM_QUIRKS)[number]
export type QuirkSwitches = Readonly<Record<ScimQuirk, boolean>>

/**
 * Resolves all switches: `all` enables them (also those missing in an object), `none` disables them.
 * @throws ScimConfigError for an unknown switch
 */
export function completeQuirks(
  quirks: 'all' | 'none' | Partial<Record<ScimQuirk, boolean>> = 'all',
): QuirkSwitches {
  const given = typeof quirks === 'string' ? {} : quirks
  for (const name of Object.keys(given)) {
    if (!isQuirk(name)) throw new ScimConfigError('quirks', `Unknown quirk ${name}`)
  }
  const on = (name: ScimQuirk): boolean => given[name] ?? quirks !== 'none'
  // `fromEntries` does not keep the names that it is given.
  return Object.fromEntries(SCIM_QUIRKS.map((name) => [name, on(name)])) as QuirkSwitches
}

/** Returns whether a name is one of the switches. */
export function isQuirk(name: string): name is ScimQuirk {
  return SCIM_QUIRKS.some((quirk) => quirk === name)
}
