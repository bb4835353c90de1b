import { z } from 'zod'
import { SurfaceError } from '../diagnostics/errors.ts'
import { cloneJson, isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { Catalog } from './catalog.ts'
import { formatCatalog } from './format-catalog.ts'
import { readCatalog, trustedPatternsOf } from './parse-catalog.ts'
import { patternsIn } from './pattern-table.ts'

/** Types and styles as zod schemas; object schemas are closed unless they are loose. */
export interface CatalogDefinition<Components extends Record<string, z.core.$ZodObject>> {
  readonly catalogId: string
  readonly components: Components
  readonly styles?: Readonly<Record<string, z.core.$ZodType>>
}

/** The wire types of zod components. */
export type TypesOfDefinition<Components extends Record<string, z.core.$ZodObject>> = {
  [Name in keyof Components]: z.core.input<Components[Name]>
}

/**
 * Creates a catalog from zod 4 schemas (SP-52), of whichever copy of zod. They are converted to JSON Schema once;
 * zod is not used afterwards.
 * @throws TypeError for what is no zod 4 schema
 * @throws SurfaceError `invalid_catalog` for schemas that JSON Schema cannot express
 */
export function defineCatalog<Components extends Record<string, z.core.$ZodObject>>(
  definition: CatalogDefinition<Components>,
): Catalog<TypesOfDefinition<Components>> {
  const document = toDocument(definition)
  return readCatalog<TypesOfDefinition<Components>>(document, {}, patternsIn(document))
}

/**
 * Creates a catalog with additional types; types with the same name are replaced.
 * @throws SurfaceError `invalid_catalog`
 */
export function extendCatalog<
  Base extends object,
  Components extends Record<string, z.core.$ZodObject>,
>(
  base: Catalog<Base>,
  definition: CatalogDefinition<Components>,
): Catalog<Omit<Base, keyof Components> & TypesOfDefinition<Components>> {
  const added = toDocument(definition)
  const document = mergeDocuments(formatCatalog(base), added, definition.catalogId)
  return readCatalog(document, {}, patternsIn(added, new Set(trustedPatternsOf(base))))
}

/** Merges two documents; later names win. */
export function mergeDocuments(base: JsonObject, over: JsonObject, catalogId: string): JsonObject {
  const merged = cloneJson(base)
  merged.catalogId = catalogId
  for (const part of ['components', 'styles', '$defs']) {
    const added = over[part]
    if (!isPlainObject(added)) continue
    const known = merged[part]
    const target: JsonObject = isPlainObject(known) ? known : {}
    for (const [name, schema] of Object.entries(added)) setOwn(target, name, cloneJson(schema))
    merged[part] = target
  }
  return merged
}

function toDocument({
  catalogId,
  components,
  styles,
}: CatalogDefinition<Record<string, z.core.$ZodObject>>): JsonObject {
  const document: JsonObject = { catalogId, components: {} }
  document.components = toSchemas(components, ['components'])
  if (styles !== undefined) document.styles = toSchemas(styles, ['styles'])
  return document
}

function toSchemas(
  schemas: Readonly<Record<string, z.core.$ZodType>>,
  place: readonly string[],
): JsonObject {
  const result: JsonObject = {}
  for (const [name, schema] of Object.entries(schemas)) {
    setOwn(result, name, toSchema(schema, [...place, name]))
  }
  return result
}

function toSchema(schema: z.core.$ZodType, place: readonly string[]): JsonValue {
  checkSchema(schema, place)
  try {
    const json = z.toJSONSchema(schema, {
      metadata: METADATA,
      io: 'input',
      reused: 'inline',
      override({ zodSchema, jsonSchema }) {
        // eslint-disable-next-line no-underscore-dangle -- zod publishes its definitions there
        const { def } = zodSchema._zod
        if (hasCustomChecks(def))
          throw new TypeError('A custom check cannot be expressed in JSON Schema')
        // Objects are open only if the schema says so, in which case zod has written it.
        if (def.type === 'object' && jsonSchema.additionalProperties === undefined) {
          jsonSchema.additionalProperties = false
        }
      },
    })
    const { $schema: _, ...rest } = json
    return cloneJson(rest) as JsonValue
  } catch (cause) {
    throw new SurfaceError({
      code: 'invalid_catalog',
      detail: cause instanceof Error ? cause.message.slice(0, 300) : 'The schema has no JSON form.',
      path: `/${place.join('/')}`,
      cause,
    })
  }
}

/** What schemas say of themselves; those of another copy are asked. */
const METADATA = new (class extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get<Schema extends z.core.$ZodType>(schema: Schema): ReturnType<typeof ownMetadata> {
    return ownMetadata(schema)
  }
})()

function ownMetadata(schema: object): Record<string, unknown> | undefined {
  const own = z.globalRegistry.get(schema as z.ZodType)
  return own ?? ('meta' in schema ? (schema as z.ZodType).meta() : undefined)
}

function checkSchema(schema: unknown, place: readonly string[]): void {
  const isObject = typeof schema === 'object' && schema !== null
  if (isObject && '_zod' in schema) return
  const got =
    isObject && '_def' in schema ? "a zod 3 schema; import it from 'zod/v4'" : typeof schema
  throw new TypeError(
    `defineCatalog: option "${place.join('.')}" must be a zod 4 schema, got ${got}`,
  )
}

function hasCustomChecks(def: object): boolean {
  if ('type' in def && def.type === 'custom') return true
  if (!('checks' in def) || !Array.isArray(def.checks)) return false
  return def.checks.some((check: { _zod: { def: { check: string } } }) => {
    // eslint-disable-next-line no-underscore-dangle -- zod publishes its definitions there
    const { check: kind } = check._zod.def
    return kind === 'custom' || kind === 'overwrite'
  })
}
