import { quote } from '../errors.ts'
import { isPlainObject } from '../json.ts'
import { noIds, type Definition } from '../store/definition.ts'
import { copyObject } from './copy-json.ts'
import type { ComponentCheck } from './read-message.ts'
import type { Report } from './report.ts'

/** Size (SP-89) of `{id, component: {}}` without the id, and of the same with a weight. */
const FRAME = 'idcomponent'.length + 3 * 8
const WEIGHTED_FRAME = FRAME + 'weight'.length + 8

interface Context {
  readonly report: Report
  readonly check: ComponentCheck
}

/**
 * Reads a component at the current place of the report and copies it; null when it has no readable id
 * or type. Its references are not looked for yet.
 */
export function readInstance(
  value: unknown,
  surfaceId: string | null,
  { report, check }: Context,
): Definition | null {
  if (!isPlainObject(value)) {
    report.add('invalid_type', 'A component is an object.')
    return null
  }
  const id = readComponentId(value, report)
  if (id !== null) report.componentId = id
  let weight: number | undefined
  let component: unknown
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (key === 'component') component = member
    else if (key === 'weight') weight = readWeight(member, report)
    else if (key !== 'id' && member !== undefined) {
      report.add('unknown_key', `A component has no key ${quote(key)}.`, { at: [key] })
    }
  }
  if (component === undefined) {
    report.add('missing_field', 'A component needs its type and properties.', { at: ['component'] })
    return null
  }
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
    weight,
    size,
    initialises,
    core,
    edges: noIds,
    templates: noIds,
    plan: null,
  }
}

function readComponentId(value: Record<string, unknown>, report: Report): string | null {
  const id = Object.hasOwn(value, 'id') ? value.id : undefined
  if (id === undefined) {
    report.add('missing_field', 'A component needs an id.', { at: ['id'] })
  } else if (typeof id !== 'string') {
    report.add('invalid_type', 'The id of a component is a string.', { at: ['id'] })
  } else if (id === '') {
    report.add('invalid_value', 'The id of a component may not be empty.', { at: ['id'] })
  } else if (id.length > report.limits.idLength) report.exceeds('idLength', { at: ['id'] })
  else return id
  return null
}

function readWeight(weight: unknown, report: Report): number | undefined {
  if (weight === undefined) return undefined
  if (typeof weight !== 'number') {
    report.add('invalid_type', 'A weight is a number.', { at: ['weight'] })
  } else if (!Number.isFinite(weight)) {
    report.add('invalid_value', 'A weight is a finite number.', { at: ['weight'] })
  } else return weight
  return undefined
}

type Typed = Pick<Definition, 'type' | 'properties' | 'initialises' | 'core'>

function readTyped(
  component: unknown,
  surfaceId: string | null,
  { report, check }: Context,
): Typed | null {
  if (!isPlainObject(component)) {
    report.add('invalid_type', 'A component holds its type with the properties.')
    return null
  }
  const types = presentKeys(component)
  const [type] = types
  if (types.length !== 1 || type === undefined) {
    report.add('not_exactly_one', 'A component holds exactly one type.')
    return null
  }
  const properties = component[type]
  report.path.push(type)
  report.size += type.length + 8
  const typed = isPlainObject(properties)
    ? readProperties(properties, { surfaceId, type }, { report, check })
    : null
  if (typed === null) report.add('invalid_type', 'The properties of a component are an object.')
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
  component: { readonly surfaceId: string | null; readonly type: string },
  { report, check }: Context,
): Typed {
  report.initialises = false
  const errors = report.errors
  const copy = copyObject(properties, report)
  // What is no JSON was reported already; a catalog would only say it again.
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
