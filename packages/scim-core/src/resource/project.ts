import { isObject } from '@x/wire'
import type { AttributeDescriptor } from '../schema/attribute.ts'
import { findPath, type PathQuirks } from '../schema/find-path.ts'
import { COMMON_ATTRIBUTES, type ResourceSchema } from '../schema/registry.ts'
import type { ScimDocument } from '../base/document.ts'

/** The requested attributes; names as written. */
export interface ProjectionRequest {
  readonly attributes?: readonly string[]
  readonly excludedAttributes?: readonly string[]
}

/** A projection resolved for the schema of one type. */
export interface Projection {
  /** True if the resource is shown as stored. */
  readonly whole: boolean
  readonly schema: ResourceSchema
  readonly includes: (name: string) => boolean
  /** True if this core attribute is left out, and nothing else that is shown by default. */
  readonly leavesOutOnly: (name: string) => boolean
  readonly apply: (resource: ScimDocument) => ScimDocument
}

/** Attribute names mapped to `true`, or to selected sub-attributes. */
type Selection = Map<string, true | Set<string>>

/** Selected core attributes, and for each extension all or some attributes. */
interface Selections {
  readonly core: Selection
  readonly extensions: Map<string, true | Selection>
}

/** The projections without parameters, which most requests have. */
const plainProjections = new WeakMap<ResourceSchema, Projection>()

/** Resolves the names of a request; unknown names are ignored. */
export function createProjection(
  request: ProjectionRequest,
  schema: ResourceSchema,
  quirks: PathQuirks,
): Projection {
  const { attributes = [], excludedAttributes = [] } = request
  if (attributes.length + excludedAttributes.length > 0) {
    return resolveProjection({ attributes, excludedAttributes }, schema, quirks)
  }
  const known = plainProjections.get(schema)
  if (known !== undefined) return known
  const plain = resolveProjection({ attributes, excludedAttributes }, schema, quirks)
  plainProjections.set(schema, plain)
  return plain
}

function resolveProjection(
  { attributes, excludedAttributes }: Required<ProjectionRequest>,
  schema: ResourceSchema,
  quirks: PathQuirks,
): Projection {
  const only = attributes.length > 0
  const selected = select(only ? attributes : excludedAttributes, schema, quirks)
  const plain = !only && excludedAttributes.length === 0
  return {
    whole: plain && !hasHidden(schema),
    schema,
    includes(name) {
      const entry = selected.core.get(name)
      return only ? entry !== undefined : entry !== true
    },
    leavesOutOnly: (name) =>
      !only &&
      selected.core.size === 1 &&
      selected.core.get(name) === true &&
      selected.extensions.size === 0,
    apply: (resource) =>
      only
        ? project(resource, { schema, selected, keep: keepNamed })
        : project(resource, { schema, selected, keep: keepOthers }),
  }
}

function select(names: readonly string[], schema: ResourceSchema, quirks: PathQuirks): Selections {
  const selections: Selections = { core: new Map(), extensions: new Map() }
  for (const name of names) {
    const found = findPath(schema, splitName(name), quirks)
    if (found === undefined) continue
    const { extension, attribute, sub } = found
    if (attribute === null) {
      if (extension !== null) selections.extensions.set(extension.urn, true)
      continue
    }
    add(selectionIn(selections, extension?.urn), attribute.name, sub?.name)
  }
  return selections
}

function selectionIn({ core, extensions }: Selections, urn: string | undefined): Selection {
  if (urn === undefined) return core
  const known = extensions.get(urn)
  if (known === true) return new Map()
  const selection: Selection = known ?? new Map<string, true | Set<string>>()
  extensions.set(urn, selection)
  return selection
}

function add(selection: Selection, name: string, sub: string | undefined): void {
  const known = selection.get(name)
  if (known === true) return
  if (sub === undefined) selection.set(name, true)
  else selection.set(name, (known ?? new Set<string>()).add(sub))
}

function splitName(text: string): { urn: string | null; name: string; sub: string | null } {
  const colon = text.lastIndexOf(':')
  const dot = text.indexOf('.', colon + 1)
  return {
    urn: colon === -1 ? null : text.slice(0, colon),
    name: text.slice(colon + 1, dot === -1 ? text.length : dot),
    sub: dot === -1 ? null : text.slice(dot + 1),
  }
}

/** The part of an attribute to show; undefined means none. */
type Keep = (
  attribute: AttributeDescriptor,
  value: unknown,
  selection: true | Set<string> | undefined,
) => unknown

function project(
  resource: ScimDocument,
  {
    schema,
    selected,
    keep,
  }: { readonly schema: ResourceSchema; readonly selected: Selections; readonly keep: Keep },
): ScimDocument {
  const result: Record<string, unknown> = {}
  const copy = (
    from: ScimDocument,
    to: Record<string, unknown>,
    attributes: readonly AttributeDescriptor[],
    selection: true | Selection | undefined,
  ): void => {
    for (const attribute of attributes) {
      const value = from[attribute.name]
      if (value === undefined) continue
      const entry = selection === true ? true : selection?.get(attribute.name)
      const kept = keep(attribute, value, entry)
      if (kept !== undefined) to[attribute.name] = kept
    }
  }
  const [schemas, id, externalId, meta] = COMMON_ATTRIBUTES
  copy(
    resource,
    result,
    [schemas, id, externalId].filter((one) => one !== undefined),
    selected.core,
  )
  copy(resource, result, schema.attributes, selected.core)
  for (const extension of schema.extensions) {
    const values = resource[extension.urn]
    if (!isObject(values)) continue
    const shown: Record<string, unknown> = {}
    copy(values, shown, extension.attributes, selected.extensions.get(extension.urn))
    if (Object.keys(shown).length > 0) result[extension.urn] = shown
  }
  copy(resource, result, meta === undefined ? [] : [meta], selected.core)
  return result
}

const keepNamed: Keep = (attribute, value, selection) => {
  if (attribute.returned === 'never') return undefined
  if (attribute.returned === 'always' || selection === true) return shownOf(attribute, value, true)
  return (
    selection &&
    mapParts(value, (part) =>
      pickSubs(
        attribute,
        part,
        ({ name, returned }) =>
          returned === 'always' || (returned !== 'never' && selection.has(name)),
      ),
    )
  )
}

const keepOthers: Keep = (attribute, value, selection) => {
  if (attribute.returned === 'never' || attribute.returned === 'request') return undefined
  if (attribute.returned === 'always' || selection === undefined) {
    return shownOf(attribute, value, false)
  }
  if (selection === true) return undefined
  return mapParts(value, (part) =>
    pickSubs(
      attribute,
      part,
      (sub) =>
        sub.returned === 'always' || (sub.returned === 'default' && !selection.has(sub.name)),
    ),
  )
}

/** A whole attribute without sub-attributes that are never shown, or not by default. */
function shownOf(attribute: AttributeDescriptor, value: unknown, requested: boolean): unknown {
  const hidden = attribute.subAttributes.some(({ returned }) => isHidden(returned))
  if (!hidden) return value
  return mapParts(value, (part) =>
    pickSubs(
      attribute,
      part,
      ({ returned }) => returned !== 'never' && (requested || returned !== 'request'),
    ),
  )
}

/** Maps a complex value or each element of a list; empty results are removed. */
function mapParts(value: unknown, map: (part: unknown) => unknown): unknown {
  if (!Array.isArray(value)) return map(value)
  const parts = value.map(map).filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts
}

function pickSubs(
  attribute: AttributeDescriptor,
  part: unknown,
  wanted: (sub: AttributeDescriptor) => boolean,
): unknown {
  if (!isObject(part)) return undefined
  const entries = attribute.subAttributes
    .filter((sub) => part[sub.name] !== undefined && wanted(sub))
    .map((sub) => [sub.name, part[sub.name]])
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function isHidden(returned: AttributeDescriptor['returned']): boolean {
  return returned === 'never' || returned === 'request'
}

/** Returns whether extensions have attributes that are stored but not shown by default. */
function hasHidden({ extensions, attributes: core, isCustom = false }: ResourceSchema): boolean {
  const parts = isCustom ? [...extensions, { attributes: core }] : extensions
  return parts.some(({ attributes }) =>
    attributes.some(
      ({ returned, subAttributes }) =>
        isHidden(returned) || subAttributes.some((sub) => isHidden(sub.returned)),
    ),
  )
}
