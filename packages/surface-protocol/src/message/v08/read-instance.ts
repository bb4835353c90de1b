import { isPlainObject, ownValue } from '../../json.ts'
import { noIds, type Definition } from '../../graph/definition.ts'
import { copyObject } from '../../data/copy-json.ts'
import type { ComponentCheck } from './component-check.ts'
import { readId, readMember, refuseOthers } from '../read-member.ts'
import type { Report } from '../../diagnostics/report.ts'

/** Size of `{id, component: {}}` without the id, and of the same with a weight. */
const FRAME = 'idcomponent'.length + 3 * 8
const WEIGHTED_FRAME = FRAME + 'weight'.length + 8

const MEMBERS = ['id', 'component', 'weight']

interface Context {
  readonly report: Report
  readonly check: ComponentCheck
}

/**
 * Copies a component at the current position of the report; null without a valid id and type. References
 * are not collected yet.
 */
export function readInstance(
  value: unknown,
  surfaceId: string,
  { report, check }: Context,
): Definition | null {
  if (!isPlainObject(value)) {
    report.must('invalid_type', 'an object')
    return null
  }
  const id = readId(value, 'id', report)
  if (id !== null) report.componentId = id
  const weight = readWeight(ownValue(value, 'weight'), report)
  const component = readMember(value, 'component', report)
  refuseOthers(value, MEMBERS, report)
  if (component === undefined) return null
  report.path.push('component')
  const start = report.size
  const typed = readTyped(component, surfaceId, { report, check })
  report.path.pop()
  if (id === null || typed === null) return null
  const { type, properties, initialises, core } = typed
  const size = report.size - start + id.length + (weight === undefined ? FRAME : WEIGHTED_FRAME)
  return {
    id,
    position: 0,
    type,
    properties,
    envelope: null,
    weight,
    size,
    initialises,
    core,
    edges: noIds,
    templates: noIds,
    plan: null,
  }
}

function readWeight(weight: unknown, report: Report): number | undefined {
  if (weight === undefined || (typeof weight === 'number' && Number.isFinite(weight))) return weight
  const code = typeof weight === 'number' ? 'invalid_value' : 'invalid_type'
  report.must(code, 'a finite number', { at: ['weight'] })
  return undefined
}

type Typed = Pick<Definition, 'type' | 'properties' | 'initialises' | 'core'>

function readTyped(
  component: unknown,
  surfaceId: string,
  { report, check }: Context,
): Typed | null {
  if (!isPlainObject(component)) {
    report.must('invalid_type', 'an object')
    return null
  }
  const types = presentKeys(component)
  const [type] = types
  if (types.length !== 1 || type === undefined) {
    report.must('not_exactly_one', 'exactly one type')
    return null
  }
  const properties = component[type]
  report.path.push(type)
  report.size += type.length + 8
  const typed = isPlainObject(properties)
    ? readProperties(properties, { surfaceId, type }, { report, check })
    : null
  if (typed === null) report.must('invalid_type', 'an object')
  report.path.pop()
  return typed
}

function presentKeys(object: Record<string, unknown>): string[] {
  const keys = Object.keys(object)
  const [only] = keys
  if (keys.length === 1 && only !== undefined && object[only] !== undefined) return keys
  return keys.filter((key) => object[key] !== undefined)
}

function readProperties(
  properties: Record<string, unknown>,
  component: { readonly surfaceId: string; readonly type: string },
  { report, check }: Context,
): Typed {
  report.initialises = false
  const errors = report.errors
  const copy = copyObject(properties, report)
  // A value that is not JSON was already reported; a catalog would report it again.
  const core =
    report.errors > errors
      ? null
      : check(component.surfaceId, component.type, { properties: copy, report })
  return {
    type: component.type,
    properties: copy,
    initialises: report.initialises || core?.exact !== true,
    core,
  }
}
