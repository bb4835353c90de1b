import { quote, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { isPlainObject } from '../json.ts'
import { Report } from '../diagnostics/report.ts'
import { checkShape, checkStyles } from './check-slot.ts'
import { nearest } from './nearest.ts'
import { findReferences, type ReferenceFound } from './references.ts'
import type { ValueSyntax } from '../functions/value-syntax.ts'
import type { HostFunction } from '../functions/evaluate.ts'
import type { FunctionShape, ShapeV09 } from './v09/shape.ts'
import type { CatalogTable } from './v09/table.ts'
import { findReferencesV09 } from './v09/walk-v09.ts'
import type { Shape } from './slot.ts'

/**
 * The component types available to a surface. Paths are JSON Pointers relative to the property object or
 * the styles object. `Types` exists only at compile time.
 */
export interface Catalog<Types extends object = object> {
  readonly catalogId: string
  /** The protocol version of the catalog: `0.8`, `0.9` or `1.0`. */
  readonly protocolVersion?: string
  readonly types: readonly string[]
  /** Functions that components may call. */
  readonly functionNames?: readonly string[]
  /** Problems of a component's properties; an unknown type has path `""`. */
  validateComponent(type: string, properties: unknown): SurfaceDiagnostic[]
  validateStyles(styles: unknown): SurfaceDiagnostic[]
  /** The references in a property object, in order. */
  references(type: string, properties: unknown): ReferenceFound[]
  readonly typesOf?: Types
}

/** The part of a catalog used on the hot path. */
export interface CatalogCore {
  /** Reports problems at the current position, which is that of the property object. */
  checkComponent(type: string, properties: unknown, report: Report): void
  checkStyles(styles: Readonly<Record<string, unknown>>, report: Report): void
  /** The structure of a type; null if the type is unknown or references must be found in each value. */
  shape(type: string): Shape | null
  /** True if bound values only occur where the shape declares them. */
  readonly exact: boolean
  /** The declarations of a catalog from version 0.9 on; absent for 0.8. */
  readonly v09?: CatalogPartsV09
}

/** The parts of a catalog from version 0.9 on, whose components are flat. */
export interface CatalogPartsV09 {
  /** `0.9` or `1.0`. */
  readonly protocolVersion: string
  readonly syntax: ValueSyntax
  /** Implementations provided by the catalog itself. */
  readonly hostFunctions?: ReadonlyMap<string, HostFunction>
  readonly components: ReadonlyMap<string, ShapeV09>
  readonly functions: ReadonlyMap<string, FunctionShape>
  readonly table: CatalogTable
  /** Creates a catalog of the same version from another table. */
  remake(table: CatalogTable): Catalog
}

/** Key under which catalogs store their core; shared by all copies of the package. */
const CORE = Symbol.for('@x/surface-protocol/catalog-core')

/** The core of a catalog; for a custom object, an adapter for its public methods. */
export function catalogCore(catalog: Catalog): CatalogCore {
  const core = (catalog as { [CORE]?: CatalogCore })[CORE]
  return core ?? publicCore(catalog)
}

/** Creates a catalog from a core. */
export function createCatalog<Types extends object>(
  catalogId: string,
  types: readonly string[],
  core: CatalogCore,
): Catalog<Types> {
  const catalog: Catalog<Types> = {
    catalogId,
    protocolVersion: core.v09?.protocolVersion ?? '0.8',
    types: Object.freeze([...types]),
    functionNames: Object.freeze(Object.keys(core.v09?.table.functions ?? {})),
    validateComponent(type, properties) {
      const report = new Report()
      core.checkComponent(type, properties, report)
      return report.finish()
    },
    validateStyles(styles) {
      const report = new Report()
      if (isPlainObject(styles)) core.checkStyles(styles, report)
      else report.add('invalid_type', 'Styles must be an object.')
      return report.finish()
    },
    references(type, properties) {
      return isPlainObject(properties) ? referencesIn(core, type, properties) : []
    },
  }
  Object.defineProperty(catalog, CORE, { value: core })
  return Object.freeze(catalog)
}

/** A catalog of closed shapes with the styles of the standard catalog. */
export function createShapeCatalog<Types extends object>(
  catalogId: string,
  shapes: ReadonlyMap<string, Shape>,
): Catalog<Types> {
  const types = [...shapes.keys()]
  return createCatalog(catalogId, types, {
    exact: true,
    shape: (type) => shapes.get(type) ?? null,
    checkStyles,
    checkComponent(type, properties, report) {
      const shape = shapes.get(type)
      if (shape === undefined) reportUnknownType(type, types, report)
      else checkShape(properties, shape, report)
    },
  })
}

/** Reports an unknown type with a suggestion. */
export function reportUnknownType(type: string, types: readonly string[], report: Report): void {
  report.add('invalid_component_type', `The catalog has no component type ${quote(type)}.`, {
    hint: nearest(type, types),
  })
}

/** The references of a component, according to its current catalog. */
export function referencesIn(
  core: CatalogCore | null,
  type: string,
  properties: Readonly<Record<string, unknown>>,
): ReferenceFound[] {
  if (core?.v09 === undefined) return findReferences(core?.shape(type) ?? null, properties)
  const shape = core.v09.components.get(type)
  return shape === undefined ? [] : findReferencesV09(shape, properties, core.v09.syntax)
}

function publicCore(catalog: Catalog): CatalogCore {
  return {
    exact: false,
    shape: () => null,
    checkComponent(type, properties, report) {
      for (const found of catalog.validateComponent(type, properties)) report.adopt(found)
    },
    checkStyles(styles, report) {
      for (const found of catalog.validateStyles(styles)) report.adopt(found)
    },
  }
}
