import { setOwn, own } from '@x/wire'
import {
  isVariableName,
  missingVariable,
  type VariableOrigin,
  VariableValue,
} from '../../components/define/variable-value.ts'
import { FlowError } from '../../errors.ts'
import { blankSetting } from './blank-setting.ts'
import { isEmpty, type FieldPlan, type VertexFields } from './field-plan.ts'
import { findVariable, isShownVariable } from './find-variable.ts'
import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import { warning } from '../flow/problems.ts'
import type { RunContext } from '../context/run-context.ts'

/** Downstream of a stopped or excluded output, or of a skipped vertex. */
export const DEAD_EDGE = Symbol('dead')
/** In a cycle: the source has not been built yet. */
export const UNBUILT = Symbol('unbuilt')

export interface InputRequest {
  readonly vertex: PlanVertex
  readonly fields: VertexFields
  /** The value of an edge for this build, `DEAD_EDGE` or `UNBUILT`. */
  deliver(edge: PlanEdge): unknown
  /** Input, files, session and stream of this run, for fields that no edge feeds. */
  readonly given: ReadonlyMap<string, unknown>
  /** Request variables. */
  readonly variables: Readonly<Record<string, string>> | undefined
}

export type RawInputs = Record<string, unknown>

/**
 * The input values of a vertex before the component's conversion. A promise only if variables are looked up.
 */
export function rawInputs(request: InputRequest, run: RunContext): RawInputs | Promise<RawInputs> {
  const { fields, given } = request
  const raw: RawInputs = { ...fields.fixed }
  let variables: FieldPlan[] | undefined
  for (const field of fields.open) {
    if (field.edges.length > 0) {
      const value = edgeValue(field, request)
      if (value !== undefined) setOwn(raw, field.name, value)
    } else if (isLookedUp(field, run) && !given.has(field.name)) {
      variables ??= []
      variables.push(field)
    } else if (field.missingFile) {
      const text = `Component ${request.vertex.displayName}: no file given for ${field.displayName}`
      run.warn(warning('missing_file', text, { nodeId: request.vertex.id, field: field.name }))
      setOwn(raw, field.name, null)
    }
  }
  if (given.size > 0) for (const [name, value] of given) setOwn(raw, name, value)
  if (variables === undefined) return checked(raw, request)
  return resolveAll(variables, raw, { request, run })
}

function isLookedUp({ variable, looksUp, value, required }: FieldPlan, run: RunContext): boolean {
  if (variable !== undefined || !looksUp || !isEmpty(value)) return variable !== undefined
  const { variables, environment } = run.services
  return required || variables !== undefined || environment !== undefined
}

/** Collected in edge order, or taken from the last edge that delivers. */
function edgeValue(field: FieldPlan, request: InputRequest): unknown {
  const [only] = field.edges
  if (only !== undefined && field.edges.length === 1 && !field.list) {
    const value = request.deliver(only)
    if (value !== UNBUILT && value !== DEAD_EDGE) return value
  }
  let last: unknown = DEAD_EDGE
  let unbuilt = false
  const list: unknown[] = []
  for (const edge of field.edges) {
    const value = request.deliver(edge)
    if (value === UNBUILT) unbuilt = true
    if (value === UNBUILT || value === DEAD_EDGE) continue
    last = value
    if (!field.list) continue
    if (Array.isArray(value)) for (const item of value) list.push(item)
    else list.push(value)
  }
  if (last !== DEAD_EDGE) return field.list ? list : last
  if (unbuilt) return field.edges.some((edge) => edge.loopBack) ? null : field.value
  return field.edges.every((edge) => edge.loopBack) ? null : field.value
}

interface Resolution {
  readonly request: InputRequest
  readonly run: RunContext
}

async function resolveAll(
  fields: readonly FieldPlan[],
  raw: RawInputs,
  { request, run }: Resolution,
): Promise<RawInputs> {
  const origins = new Map<string, VariableOrigin>()
  const blank = new Map<FieldPlan, string | undefined>()
  for (const field of fields) {
    const name = field.variable ?? ''
    if (name === '') {
      if (field.looksUp) blank.set(field, undefined)
      continue
    }
    const found = await findVariable(name, {
      variables: request.variables,
      takesKeys: field.takesKeys,
      run,
    })
    if (found === null && field.literal !== undefined) {
      if (field.secret) run.secrets.add(field.literal)
      setOwn(raw, field.name, field.literal)
      continue
    }
    const isShown = isVariableName(name)
    if (found === null && !isShown && field.secret) run.secrets.add(name)
    const hides =
      found === null || field.secret || !(await isShownVariable(name, found.origin, run))
    if (hides) run.secrets.add(found?.value)
    if (field.fallback) {
      setOwn(raw, field.name, new VariableValue(name, found))
      if (found === null || found.value.trim() === '') blank.set(field, undefined)
      continue
    }
    if (found !== null) origins.set(field.name, found.origin)
    if (field.looksUp && (found === null || found.value.trim() === '')) {
      blank.set(field, found === null && isShown ? name : undefined)
      continue
    }
    if (found === null && run.services.environment === undefined) {
      throw new FlowError('variable_not_found', missingVariable(name, field.displayName))
    }
    const value = found?.value
    if (value === undefined) run.warn(unresolved(request.vertex, field, isShown ? name : undefined))
    if (value !== undefined && value !== '') setOwn(raw, field.name, value)
  }
  // Addresses first: where a key may go depends on them.
  const inOrder = [...blank].toSorted(([a], [b]) => Number(a.secret) - Number(b.secret))
  for (const [field, missing] of inOrder) {
    const { vertex, variables } = request
    const found = await blankSetting(field, { vertex, raw, origins, variables, run, missing })
    if (found !== undefined) {
      origins.set(field.name, found.origin)
      if (field.secret || !(await isShownVariable(found.name, found.origin, run)))
        run.secrets.add(found.value)
      const { name, value } = found
      const picked = field.fallback ? new VariableValue(name, found, { lookedUp: true }) : value
      setOwn(raw, field.name, picked)
    } else if (field.fallback) continue
    else if (field.variable && run.services.environment === undefined)
      throw new FlowError('variable_not_found', missingVariable(field.variable, field.displayName))
    else if (missing !== undefined) run.warn(unresolved(vertex, field, missing))
  }
  return checked(raw, request)
}

function unresolved({ id, displayName }: PlanVertex, field: FieldPlan, name: string | undefined) {
  const variable = name === undefined ? 'variable' : `variable ${name}`
  const text = `Component ${displayName}: ${variable} of ${field.displayName} not found`
  return warning('unresolved_field', text, { nodeId: id, field: field.name })
}

/** A value from an edge always counts as given. */
function checked(raw: RawInputs, { fields, vertex, given }: InputRequest): RawInputs {
  for (const field of fields.open) {
    if (!field.required || field.edges.length > 0 || field.missingFile) continue
    if (given.has(field.name) || !isEmpty(own(raw, field.name))) continue
    throw new FlowError(
      'missing_input',
      `Component ${vertex.displayName} is missing the required input ${field.displayName}`,
    )
  }
  for (const { name, displayName } of fields.addresses) {
    const value = own(raw, name)
    const text = typeof value === 'string' ? value.trim() : ''
    if (text !== '' && !URL.canParse(text))
      throw new FlowError('missing_input', `${displayName} is not a valid URL`)
  }
  return raw
}
