import { isIdentifier } from '../../data/identifier.ts'
import { quote, SurfaceError } from '../../diagnostics/errors.ts'
import type { Report } from '../../diagnostics/report.ts'
import type { HostFunction } from '../../functions/evaluate.ts'
import { taggedSyntax } from '../../functions/tagged-syntax.ts'
import { isPlainObject } from '../../json.ts'
import { catalogCore, createCatalog, reportUnknownType, type Catalog } from '../catalog.ts'
import type { CatalogCore, CatalogPartsV09 } from '../catalog.ts'
import { checkShapeV09 } from '../v09/check-slot-v09.ts'
import { compileCatalog } from '../v09/compile-catalog.ts'
import { functionOfTable, shapeOfTable, type ShapeV09 } from '../v09/shape.ts'
import { plainFactories } from '../v09/table-catalog.ts'
import type { CatalogTable, ObjectTable } from '../v09/table.ts'
import { createRulesV1 } from './dynamic-rules-v1.ts'
import type { FoundCatalog } from './find-catalog.ts'

/** Common properties of all components. */
const accessibility: ObjectTable['fields'][string] = {
  object: {
    fields: {
      label: 'dString',
      description: 'dString',
      live: { enum: ['off', 'polite', 'assertive'] },
      hidden: 'dBoolean',
    },
  },
}

const factories = { ...plainFactories, isAnyLive: true }

/** A catalog of version 1.0 from its table. */
export function createCatalogV1<Types extends object = object>(
  table: CatalogTable,
  hostFunctions?: ReadonlyMap<string, HostFunction>,
): Catalog<Types> {
  const components = new Map(
    Object.entries(table.components).map(([type, object]): [string, ShapeV09] => {
      const fields = { accessibility, ...object.fields }
      return [type, shapeOfTable({ ...object, fields }, factories)]
    }),
  )
  const functions = new Map(
    Object.entries(table.functions).map(([name, one]) => [name, functionOfTable(one, factories)]),
  )
  const parts: CatalogPartsV09 = {
    protocolVersion: '1.0',
    syntax: taggedSyntax,
    components,
    functions,
    table,
    remake: (other) => createCatalogV1(other, hostFunctions),
    ...(hostFunctions === undefined ? {} : { hostFunctions }),
  }
  const core: CatalogCore = {
    exact: true,
    shape: () => null,
    v09: parts,
    // Without others, a catalog is used for every call.
    checkComponent: (type, properties, report) =>
      checkComponentV1({ type, properties, core }, report, () => ({ core })),
    checkStyles: () => undefined,
  }
  return createCatalog<Types>(table.catalogId, [...components.keys()], core)
}

/** Validates the properties of a component against its catalog, and its calls against theirs. */
export function checkComponentV1(
  { type, properties, core }: { type: string; properties: unknown; core: CatalogCore },
  report: Report,
  find: (catalogId: string | undefined) => FoundCatalog,
): void {
  const components = core.v09?.components ?? new Map<string, ShapeV09>()
  const shape = components.get(type)
  const context = {
    report,
    rules: createRulesV1(find),
    functions: core.v09?.functions ?? new Map(),
    code: 'invalid_property_value' as const,
    depth: 0,
  }
  if (shape === undefined) {
    reportUnknownType(type, [...components.keys()], report)
    // Calls and keys are validated in tolerant mode too.
    if (report.mode === 'tolerant') context.rules.any(properties, context)
  } else if (isPlainObject(properties)) checkShapeV09(properties, shape, context)
  else report.must('invalid_property_value', 'an object', { fatal: true })
}

/**
 * A catalog of version 1.0 from its document.
 * @throws SurfaceError `invalid_catalog`
 */
export function compileCatalogV1(document: Readonly<Record<string, unknown>>): Catalog {
  const table = compileCatalog(document, '1.0')
  for (const [group, names] of Object.entries({
    components: Object.keys(table.components),
    functions: Object.keys(table.functions),
  })) {
    const wrong = names.find((name) => !isIdentifier(name) || name === 'Surface')
    if (wrong === undefined) continue
    const detail = `The name ${quote(wrong)} is not an identifier, or is reserved.`
    throw new SurfaceError({ code: 'invalid_catalog', detail, path: `/${group}` })
  }
  return createCatalogV1(table)
}

/**
 * A copy of a catalog with implementations of its functions, which override those of a store.
 * @throws TypeError for a catalog of another version; SurfaceError `unknown_function` for an undeclared
 * name
 */
export function withFunctions(
  catalog: Catalog,
  functions: Readonly<Record<string, HostFunction>>,
): Catalog {
  const parts = catalogCore(catalog).v09
  if (parts?.protocolVersion !== '1.0') throw new TypeError('Expected a catalog of version 1.0')
  for (const name of Object.keys(functions)) {
    if (parts.functions.has(name)) continue
    const detail = `The catalog has no function ${quote(name)}.`
    throw new SurfaceError({ code: 'unknown_function', detail })
  }
  const known = [...(parts.hostFunctions ?? [])]
  return createCatalogV1(parts.table, new Map([...known, ...Object.entries(functions)]))
}
