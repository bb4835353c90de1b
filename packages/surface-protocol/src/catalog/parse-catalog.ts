import { quote } from '../diagnostics/errors.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import { Report } from '../diagnostics/report.ts'
import { copyJson } from '../data/copy-json.ts'
import { createCatalog, reportUnknownType, type Catalog } from './catalog.ts'
import { checkValue } from './check-value.ts'
import { inferShape } from './infer-shape.ts'
import { checkSchemas, invalidCatalog, type Schema, type SchemaAt } from './json-schema.ts'
import { nearest } from './nearest.ts'
import { protocolParts, readVersion, type Version } from '../data/version.ts'
import { compileCatalog } from './v09/compile-catalog.ts'
import type { ShapeFactories } from './v09/shape.ts'
import { createTableCatalog, plainFactories } from './v09/table-catalog.ts'
import { PatternTable } from './pattern-table.ts'
import { checkBoundPaths } from './check-bound-paths.ts'
import type { Shape } from './slot.ts'

/** Options for what a catalog document leaves open. */
export interface ParseCatalogOptions {
  /** The document's protocol version. Default: 0.8. */
  readonly version?: Version
  /** Paths of references, by type: `{ Grid: ['slots[].child'] }`. Default: inferred. */
  readonly references?: Readonly<Record<string, readonly string[]>>
  /** Only `catalogBytes` applies. */
  readonly limits?: Partial<SurfaceLimits>
}

const documents = new WeakMap<Catalog, JsonObject>()
const trustedPatterns = new WeakMap<Catalog, ReadonlySet<string>>()

/** The document a catalog was created from; undefined for others. */
export function documentOf(catalog: Catalog): JsonObject | undefined {
  return documents.get(catalog)
}

/** The patterns of a host-provided catalog; empty for others. */
export function trustedPatternsOf(catalog: Catalog): ReadonlySet<string> {
  return trustedPatterns.get(catalog) ?? NO_PATTERNS
}

const NO_PATTERNS: ReadonlySet<string> = new Set()

/**
 * Creates a catalog from its document. Nothing is fetched. Patterns run in linear time:
 * lookaround and backreferences are rejected, and strings over 10,000 characters never match.
 * @throws SurfaceError `invalid_catalog` with the position in the document
 */
export function parseCatalog<Types extends object = object>(
  document: unknown,
  options: ParseCatalogOptions = {},
): Catalog<Types> {
  const version = readVersion(options.version)
  if (version === '0.8') return readCatalog(document, options, NO_PATTERNS)
  return compileDocument(copyDocument(document, resolveLimits(options.limits)), version)
}

/** A catalog of a version from 0.9 on, which keeps its document. @throws SurfaceError `invalid_catalog` */
export function compileDocument<Types extends object>(
  document: JsonObject,
  version: Exclude<Version, '0.8'>,
): Catalog<Types> {
  return withDocument(compilerOf<Types>(version)(document), document)
}

/** Notes the document of a catalog. */
export function withDocument<C extends Catalog>(catalog: C, document: JsonObject): C {
  documents.set(catalog, document)
  return catalog
}

/** Also checks what only a schema describes. */
const factories: ShapeFactories = {
  ...plainFactories,
  schema: (schema) => (value) => {
    const report = new Report()
    const patterns = new PatternTable(NO_PATTERNS)
    checkValue(value, schema as Schema, { document: {}, patterns, depth: 0, report })
    const [first] = report.finish()
    return first === undefined ? null : { pointer: first.path, message: first.message }
  },
}

/** The catalog parser provided by a protocol version's subpath. */
export interface CatalogParts {
  compileCatalog(document: JsonObject): Catalog
}

function compilerOf<Types extends object>(
  version: Exclude<Version, '0.8'>,
): (document: JsonObject) => Catalog<Types> {
  const parts = protocolParts(version) as { readonly catalog: CatalogParts } | null
  if (parts === null) {
    return (document) => createTableCatalog<Types>(compileCatalog(document), factories)
  }
  return (document) => parts.catalog.compileCatalog(document) as Catalog<Types>
}

/** The same; `trusted` patterns belong to the host and are not restricted. */
export function readCatalog<Types extends object = object>(
  document: unknown,
  options: ParseCatalogOptions,
  trusted: ReadonlySet<string>,
): Catalog<Types> {
  const copy = copyDocument(document, resolveLimits(options.limits))
  const { catalogId, components, styles } = copy
  if (typeof catalogId !== 'string' || catalogId === '') {
    throw invalidCatalog('A catalog must have an id.', ['catalogId'])
  }
  if (!isPlainObject(components))
    throw invalidCatalog('components must be an object.', ['components'])
  const styleSchemas = readStyles(styles)
  const patterns = new PatternTable(trusted)
  checkSchemas(schemasOf(copy), copy, patterns)
  const schemas = new Map<string, Schema>()
  const shapes = new Map<string, Shape>()
  const declarations = new Map(Object.entries(options.references ?? {}))
  for (const [type, schema] of Object.entries(components)) {
    schemas.set(type, schema as Schema)
    const declared = declarations.get(type) ?? null
    shapes.set(type, inferShape(schema as Schema, { document: copy, declared }))
  }
  const types = [...schemas.keys()]
  const catalog = createCatalog<Types>(catalogId, types, {
    exact: false,
    shape: (type) => shapes.get(type) ?? null,
    checkComponent(type, properties, report) {
      const schema = schemas.get(type)
      if (schema === undefined) {
        reportUnknownType(type, types, report)
        return
      }
      checkValue(properties, schema, { document: copy, patterns, depth: 0, report })
      checkBoundPaths(properties, report)
    },
    checkStyles(values, report) {
      if (styleSchemas !== null) {
        checkStyleValues(values, styleSchemas, { document: copy, patterns, report })
      }
    },
  })
  documents.set(catalog, copy)
  trustedPatterns.set(catalog, trusted)
  return catalog
}

function copyDocument(document: unknown, limits: Readonly<SurfaceLimits>): JsonObject {
  const report = new Report('strict', { ...limits, bufferedSize: limits.catalogBytes * 16 })
  const copy = copyJson(document, report)
  const [problem] = report.diagnostics
  if (problem !== undefined) throw invalidCatalog(problem.message, [])
  if (!isPlainObject(copy)) throw invalidCatalog('A catalog must be an object.', [])
  const bytes = new TextEncoder().encode(JSON.stringify(copy)).length
  if (bytes > limits.catalogBytes) {
    throw invalidCatalog(`A catalog may have at most ${limits.catalogBytes} bytes.`, [])
  }
  return copy
}

/** All values in a document where a schema is expected. */
function schemasOf(document: JsonObject): SchemaAt[] {
  return ['components', '$defs', 'styles'].flatMap((part) => {
    const group = document[part]
    return Object.entries(isPlainObject(group) ? group : {}).map(([name, schema]) => ({
      schema,
      place: [part, name],
    }))
  })
}

function readStyles(styles: unknown): Map<string, Schema> | null {
  if (styles === undefined) return null
  if (!isPlainObject(styles)) throw invalidCatalog('styles must be an object.', ['styles'])
  return new Map(Object.entries(styles) as [string, Schema][])
}

function checkStyleValues(
  values: Readonly<Record<string, unknown>>,
  schemas: ReadonlyMap<string, Schema>,
  { document, patterns, report }: { document: object; patterns: PatternTable; report: Report },
): void {
  for (const name of Object.keys(values)) {
    if (values[name] === undefined) continue
    const schema = schemas.get(name)
    const trial = new Report()
    if (schema !== undefined)
      checkValue(values[name], schema, { document, patterns, depth: 0, report: trial })
    if (schema !== undefined && trial.errors === 0) continue
    report.add('invalid_style', `The style ${quote(name)} is unknown or has a wrong value.`, {
      at: [name],
      hint: schema === undefined ? nearest(name, schemas.keys()) : undefined,
    })
  }
}
