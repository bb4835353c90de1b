import { ScimConfigError } from '../base/errors.ts'
import { createCatalogueStore, type CatalogueEntry } from '../memory/catalogue.ts'
import { defineResourceType, type ScimResourceType } from './resource-type.ts'

const OKTA = 'urn:okta:scim:schemas:core:1.0'

/**
 * Parses `SCIM_ROLES` and `SCIM_ENTITLEMENTS`, JSON lists of `{id, displayName}`, as resource types in
 * Okta's format.
 * @throws ScimConfigError naming the variable
 */
export function readOktaTypes(
  env: Readonly<Record<string, string | undefined>>,
): readonly ScimResourceType[] {
  return [
    ...oktaType(env['SCIM_ROLES'], { variable: 'SCIM_ROLES', name: 'Role', attribute: 'roles' }),
    ...oktaType(env['SCIM_ENTITLEMENTS'], {
      variable: 'SCIM_ENTITLEMENTS',
      name: 'Entitlement',
      attribute: 'entitlements',
    }),
  ]
}

function oktaType(
  text: string | undefined,
  {
    variable,
    name,
    attribute,
  }: { readonly variable: string; readonly name: string; readonly attribute: string },
): ScimResourceType[] {
  if (text === undefined || text.trim() === '') return []
  const entries = readEntries(text, variable)
  const type = defineResourceType({
    name,
    endpoint: `/${name}s`,
    description: name,
    schema: {
      urn: `${OKTA}:${name}`,
      attributes: [
        { name: 'displayName', required: true, description: 'The name.' },
        { name: 'type', description: 'The kind.' },
      ],
    },
    store: createCatalogueStore(() => entries),
    assignedBy: { attribute },
  })
  return [type]
}

function readEntries(text: string, variable: string): readonly CatalogueEntry[] {
  const wrong = new ScimConfigError(
    variable,
    `${variable} must be a JSON list of {id, displayName}`,
  )
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw wrong
  }
  if (!Array.isArray(list)) throw wrong
  return list.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) throw wrong
    const id: unknown = Reflect.get(entry, 'id')
    const displayName: unknown = Reflect.get(entry, 'displayName')
    if (typeof id !== 'string' || id === '' || typeof displayName !== 'string') throw wrong
    return { id, displayName }
  })
}
