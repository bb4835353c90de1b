import { z } from 'zod'
import { protocolParts, readVersion, versionNumber, type Version } from '../data/version.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import {
  cloneJson,
  isPlainObject,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json.ts'
import { catalogCore, type Catalog } from './catalog.ts'
import { formatCatalog } from './format-catalog.ts'
import { commonType } from './format-table.ts'
import { mergeDocuments } from './merge-documents.ts'
import { compileDocument, readCatalog, trustedPatternsOf, withDocument } from './parse-catalog.ts'
import { patternsIn } from './pattern-table.ts'
import { COMMON_TYPE } from './schemas.ts'
import { compileCatalog } from './v09/compile-catalog.ts'

/** A function of a catalog from version 0.9.1 on. */
export interface FunctionDefinition {
  readonly args: z.core.$ZodObject
  readonly returns: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any' | 'void'
  readonly description?: string
  /** Who may call it, in version 1.0. */
  readonly allowedCallers?: string
}

/** The functions of a definition that has none. */
type NoFunctions = { readonly [Name in never]: FunctionDefinition }

/** Types, functions and styles as zod schemas; object schemas are closed unless they are loose. */
export interface CatalogDefinition<
  Components extends Record<string, z.core.$ZodObject>,
  Functions extends Record<string, FunctionDefinition> = NoFunctions,
> {
  /** Protocol version of the catalog. Default: 0.8, or that of the catalog that is extended. */
  readonly version?: Version
  readonly catalogId: string
  readonly components: Components
  readonly functions?: Functions
  /** Theme parameters, from version 0.9.1 on. */
  readonly theme?: z.core.$ZodObject
  /** Styles, in version 0.8. */
  readonly styles?: Readonly<Record<string, z.core.$ZodType>>
  /** Instructions for models that write messages. */
  readonly instructions?: string
}

/** The wire types of zod components. */
export type TypesOfDefinition<Components extends Record<string, z.core.$ZodObject>> = {
  [Name in keyof Components]: z.core.input<Components[Name]>
}

/** The properties of a type of a catalog. */
export type ComponentProps<C, Name extends PropertyKey> =
  C extends Catalog<infer Types> ? (Name extends keyof Types ? Types[Name] : never) : never

/** The arguments of a function definition. */
export type FunctionArgs<F extends FunctionDefinition> = z.input<F['args']>

/**
 * Creates a catalog from zod 4 schemas, of whichever copy of zod. They are converted to JSON Schema once;
 * zod is not used afterwards.
 * @throws TypeError for what is no zod 4 schema
 * @throws SurfaceError `invalid_catalog` for schemas that JSON Schema cannot express
 * @throws TypeError for schemas that are not of zod 4, and for parts that the version does not have
 */
export function defineCatalog<
  Components extends Record<string, z.core.$ZodObject>,
  Functions extends Record<string, FunctionDefinition> = NoFunctions,
>(definition: CatalogDefinition<Components, Functions>): Catalog<TypesOfDefinition<Components>> {
  const version = readVersion(definition.version)
  const document = toDocument(definition, familyNumber(version))
  if (version !== '0.8') return compileDocument(document, version)
  return readCatalog(document, {}, patternsIn(document))
}

/**
 * Creates a catalog with additional types; types with the same name are replaced.
 * @throws SurfaceError `invalid_catalog`
 * @throws TypeError for a version other than that of the base
 */
export function extendCatalog<
  Base extends object,
  Components extends Record<string, z.core.$ZodObject>,
  Functions extends Record<string, FunctionDefinition> = NoFunctions,
>(
  base: Catalog<Base>,
  definition: CatalogDefinition<Components, Functions>,
): Catalog<Omit<Base, keyof Components> & TypesOfDefinition<Components>> {
  const { v09 } = catalogCore(base)
  const number = v09?.protocolVersion ?? '0.8'
  const { version } = definition
  if (version !== undefined && familyNumber(readVersion(version)) !== number) {
    throw new TypeError(`extendCatalog: the base is a catalog of version ${number}`)
  }
  const added = toDocument(definition, number)
  const document = mergeDocuments(formatCatalog(base), added, definition.catalogId)
  if (v09 === undefined) {
    return readCatalog(document, {}, patternsIn(added, new Set(trustedPatternsOf(base))))
  }
  const table = compileCatalog(added, number === '1.0' ? '1.0' : '0.9')
  const made = v09.remake({
    ...v09.table,
    ...table,
    components: { ...v09.table.components, ...table.components },
    functions: { ...v09.table.functions, ...table.functions },
    theme: table.theme ?? v09.table.theme,
  })
  return withDocument(made, document) as Catalog<
    Omit<Base, keyof Components> & TypesOfDefinition<Components>
  >
}

/** `0.8`, `0.9` or `1.0`. */
function familyNumber(version: Version): string {
  return protocolParts(version) === null && version !== '0.8' ? '0.9' : versionNumber(version)
}

function toDocument(
  definition: CatalogDefinition<
    Record<string, z.core.$ZodObject>,
    Record<string, FunctionDefinition>
  >,
  version: string,
): JsonObject {
  const { catalogId, components, functions, theme, styles, instructions } = definition
  const document: JsonObject = { catalogId, components: {} }
  if (instructions !== undefined) document.instructions = instructions
  const types = toSchemas(components, { version, place: ['components'] })
  document.components = types
  if (version === '0.8') {
    if (functions !== undefined || theme !== undefined) {
      throw new TypeError('A catalog of version 0.8 has neither functions nor a theme')
    }
    if (styles !== undefined) document.styles = toSchemas(styles, { version, place: ['styles'] })
    return document
  }
  if (styles !== undefined) throw new TypeError(`A catalog of version ${version} has no styles`)
  for (const [type, schema] of Object.entries(types)) {
    setOwn(types, type, asComponent(type, schema as JsonObject))
  }
  const calls: JsonObject = {}
  for (const [name, one] of Object.entries(functions ?? {})) {
    setOwn(calls, name, toFunction(name, one, version))
  }
  document.functions = calls
  if (theme !== undefined) {
    document.$defs = { theme: toSchema(theme, { version, place: ['theme'] }) }
  }
  return document
}

/** A schema of properties as the schema of a component. */
function asComponent(type: string, schema: JsonObject): JsonObject {
  const { properties, required, additionalProperties, ...rest } = schema
  const own: JsonObject = {}
  const allOf: JsonValue[] = [commonType('ComponentCommon')]
  for (const [name, member] of Object.entries((properties ?? {}) as JsonObject)) {
    const isChecks = isPlainObject(member) && member[COMMON_TYPE] === 'Checkable'
    if (isChecks && name !== 'checks')
      throw new TypeError('checksSchema is for the property checks')
    if (isChecks) allOf.push(commonType('Checkable'))
    else setOwn(own, name, member)
  }
  const needed = ((required ?? []) as string[]).filter((name) => Object.hasOwn(own, name))
  return {
    ...rest,
    type: 'object',
    allOf,
    properties: { component: { const: type }, ...own },
    required: ['component', ...needed],
    ...(additionalProperties === false ? { unevaluatedProperties: false } : {}),
  }
}

function toFunction(
  name: string,
  { args, returns, description, allowedCallers }: FunctionDefinition,
  version: string,
): JsonObject {
  const key = version === '1.0' ? '@call' : 'call'
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    ...(version === '1.0' ? { returnType: returns } : {}),
    ...(allowedCallers === undefined ? {} : { allowedCallers }),
    properties: {
      [key]: { const: name },
      args: toSchema(args, { version, place: ['functions', name] }),
      ...(version === '1.0' ? {} : { returnType: { const: returns } }),
    },
    required: [key, 'args'],
    unevaluatedProperties: false,
  }
}

interface Conversion {
  readonly version: string
  readonly place: readonly string[]
}

function toSchemas(
  schemas: Readonly<Record<string, z.core.$ZodType>>,
  { version, place }: Conversion,
): JsonObject {
  const result: JsonObject = {}
  for (const [name, schema] of Object.entries(schemas)) {
    setOwn(result, name, toSchema(schema, { version, place: [...place, name] }))
  }
  return result
}

function toSchema(schema: z.core.$ZodType, { version, place }: Conversion): JsonValue {
  checkSchema(schema, place)
  let json: JsonValue
  try {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, {
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
    json = cloneJson(rest) as JsonValue
  } catch (cause) {
    throw new SurfaceError({
      code: 'invalid_catalog',
      detail: cause instanceof Error ? cause.message.slice(0, 300) : 'The schema has no JSON form.',
      path: `/${place.join('/')}`,
      cause,
    })
  }
  return ofVersion(json, version)
}

/** Gives the helpers the meaning that they have in a version. */
function ofVersion(value: JsonValue, version: string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => ofVersion(item, version))
  if (!isPlainObject(value)) return value
  const { [COMMON_TYPE]: type, ...rest } = value
  const description = ownValue(value, 'description')
  const described = typeof description === 'string' ? { description } : {}
  if (typeof type === 'string') {
    if (version === '0.8') {
      if (type === 'Checkable') throw new TypeError('Version 0.8 has no checks')
      return type === 'DynamicValue' ? described : ofVersion(rest, version)
    }
    if (type === 'Checkable') return { [COMMON_TYPE]: type }
    return { ...commonType(type), ...described }
  }
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(rest)) setOwn(copy, name, ofVersion(member, version))
  return copy
}

/** What schemas say of themselves; those of another copy are asked. */
const METADATA = new (class extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType): ReturnType<typeof ownMetadata> {
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
