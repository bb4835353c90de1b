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
 * The types a surface may use. All paths are JSON Pointers relative to the property object or the
 * styles object. `Types` is known to the compiler only.
 */
export interface Catalog<Types extends object = object> {
  readonly catalogId: string
  /** The version of the protocol that the catalog is for: `0.8`, `0.9` or `1.0`. */
  readonly protocolVersion?: string
  readonly types: readonly string[]
  /** Functions that components may call. */
  readonly functionNames?: readonly string[]
  /** The problems of a component's properties; an unknown type has path `""`. */
  validateComponent(type: string, properties: unknown): SurfaceDiagnostic[]
  validateStyles(styles: unknown): SurfaceDiagnostic[]
  /** The references a property object holds, in order (SP-17, SP-53). */
  references(type: string, properties: unknown): ReferenceFound[]
  readonly typesOf?: Types
}

/** The part of a catalog that the hot path uses. */
export interface CatalogCore {
  /** Reports at the current place what is wrong; the report's path stands at the property object. */
  checkComponent(type: string, properties: unknown, report: Report): void
  checkStyles(styles: Readonly<Record<string, unknown>>, report: Report): void
  /** The parts of a type; null when the type is unknown or its parts must be found in each value. */
  shape(type: string): Shape | null
  /** True if bound values occur only where the shape names them. */
  readonly exact: boolean
  /** The declarations of a catalog from version 0.9 on; missing for 0.8. */
  readonly v09?: CatalogPartsV09
}

/** The parts of a catalog from version 0.9 on, whose components are flat. */
export interface CatalogPartsV09 {
  /** `0.9` or `1.0`. */
  readonly protocolVersion: string
  readonly syntax: ValueSyntax
  /** Implementations that belong to the catalog itself. */
  readonly hostFunctions?: ReadonlyMap<string, HostFunction>
  readonly components: ReadonlyMap<string, ShapeV09>
  readonly functions: ReadonlyMap<string, FunctionShape>
  readonly table: CatalogTable
  /** A catalog of the same version from another table. */
  remake(table: CatalogTable): Catalog
}

/** Under this key a catalog of this package keeps its core, also for another copy of the package. */
const CORE = Symbol.for('@x/surface-protocol/catalog-core')

/** The core of any catalog; one that was written by hand is asked through its public methods. */
export function catalogCore(catalog: Catalog): CatalogCore {
  const core = (catalog as { [CORE]?: CatalogCore })[CORE]
  return core ?? publicCore(catalog)
}

/** A catalog around a core. */
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

/** A catalog of closed shapes with the styles of the standard catalog (SP-12, SP-13). */
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

/** Notes a type that a catalog does not have, with the name that was probably meant (SP-14). */
export function reportUnknownType(type: string, types: readonly string[], report: Report): void {
  report.add('invalid_component_type', `The catalog has no component type ${quote(type)}.`, {
    hint: nearest(type, types),
  })
}

/** The references of a component by the catalog that is in force for it. */
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
