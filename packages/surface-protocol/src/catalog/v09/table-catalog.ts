import { createLinearPattern, type LinearPattern } from '../../data/linear-pattern.ts'
import { quote, SurfaceError } from '../../diagnostics/errors.ts'
import { Report } from '../../diagnostics/report.ts'
import { isPlainObject } from '../../json.ts'
import { createCatalog, reportUnknownType, type Catalog } from '../catalog.ts'
import { nearest } from '../nearest.ts'
import { checkShapeV09 } from './check-slot-v09.ts'
import { dynamicRulesV09 } from './dynamic-rules-v09.ts'
import { plainSyntax } from '../../functions/value-syntax.ts'
import {
  functionOfTable,
  shapeOfTable,
  type FunctionShape,
  type ShapeFactories,
  type ShapeV09,
} from './shape.ts'
import type { CatalogTable, ObjectTable } from './table.ts'

/** Common properties of all components. */
const envelope: Readonly<Record<string, ObjectTable['fields'][string]>> = {
  accessibility: {
    object: { fields: { label: 'dString', description: 'dString' }, open: true },
  },
}

/** Compiles patterns; parts described only by a schema are not checked. */
export const plainFactories: ShapeFactories = {
  pattern: (source) => {
    const pattern = linearPattern(source)
    return (text) => text.length <= 10_000 && pattern.test(text)
  },
  schema: () => () => null,
}

/**
 * Creates a catalog of version 0.9.1 from its table; validators are built once.
 * @throws SurfaceError `invalid_catalog`
 */
export function createTableCatalog<Types extends object = object>(
  table: CatalogTable,
  factories: ShapeFactories = plainFactories,
): Catalog<Types> {
  const shapes = shapesOf(table, factories)
  return catalogOver<Types>(table, factories, () => shapes)
}

/** The same for a table of this package; validators are built on first use. */
export function createBuiltInCatalog<Types extends object>(table: CatalogTable): Catalog<Types> {
  let shapes: Shapes | undefined
  return catalogOver<Types>(
    table,
    plainFactories,
    () => (shapes ??= shapesOf(table, plainFactories)),
  )
}

interface Shapes {
  readonly components: ReadonlyMap<string, ShapeV09>
  readonly functions: ReadonlyMap<string, FunctionShape>
  readonly theme: ShapeV09 | null
}

function shapesOf(table: CatalogTable, factories: ShapeFactories): Shapes {
  const components = new Map(
    Object.entries(table.components).map(([type, object]): [string, ShapeV09] => {
      const fields = { ...envelope, ...object.fields }
      return [type, shapeOfTable({ ...object, fields }, factories)]
    }),
  )
  const functions = new Map(
    Object.entries(table.functions).map(([name, one]) => [name, functionOfTable(one, factories)]),
  )
  const theme = table.theme === null ? null : shapeOfTable(table.theme, factories)
  return { components, functions, theme }
}

function catalogOver<Types extends object>(
  table: CatalogTable,
  factories: ShapeFactories,
  shapes: () => Shapes,
): Catalog<Types> {
  const types = Object.keys(table.components)
  return createCatalog<Types>(table.catalogId, types, {
    exact: true,
    shape: () => null,
    v09: {
      protocolVersion: '0.9',
      syntax: plainSyntax,
      get components() {
        return shapes().components
      },
      get functions() {
        return shapes().functions
      },
      table,
      remake: (other) => createTableCatalog(other, factories),
    },
    checkComponent(type, properties, report) {
      const { components, functions } = shapes()
      const shape = components.get(type)
      if (shape === undefined) reportUnknownType(type, types, report)
      else if (isPlainObject(properties)) {
        checkShapeV09(properties, shape, {
          report,
          rules: dynamicRulesV09,
          functions,
          code: 'invalid_property_value',
          depth: 0,
        })
      } else report.must('invalid_property_value', 'an object', { fatal: true })
    },
    checkStyles(values, report) {
      const { theme, functions } = shapes()
      if (theme === null) return
      for (const name of Object.keys(values)) {
        const slot = theme.fields.get(name)
        if (slot === undefined && theme.open) continue
        const trial = new Report()
        const context = {
          report: trial,
          rules: dynamicRulesV09,
          functions,
          code: 'invalid_argument',
          depth: 0,
        } as const
        checkShapeV09({ [name]: values[name] }, { ...theme, required: [] }, context)
        if (trial.errors === 0) continue
        report.add('invalid_theme', `The theme parameter ${quote(name)} is unknown or wrong.`, {
          at: [name],
          hint: slot === undefined ? nearest(name, theme.fields.keys()) : undefined,
        })
      }
      for (const name of theme.required) {
        if (values[name] !== undefined) continue
        report.add('invalid_theme', `The theme parameter ${quote(name)} is required.`, {
          at: [name],
        })
      }
    },
  })
}

/** @throws SurfaceError `invalid_catalog` */
function linearPattern(source: string): LinearPattern {
  try {
    if (source.length <= 512) return createLinearPattern(source)
  } catch {
    // Rejected below, like a pattern that is too long.
  }
  const detail = `The pattern ${quote(source)} cannot run in linear time.`
  throw new SurfaceError({ code: 'invalid_catalog', detail })
}
