import { usualKey, usualPlace, type UsualKey } from '../../components/registry/usual-names.ts'
import type { VariableOrigin } from '../../components/define/variable-value.ts'
import { FlowError } from '../../errors.ts'
import { own } from '@x/wire'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { RunContext } from '../context/run-context.ts'
import { isEmpty, type FieldPlan } from './field-plan.ts'
import { findVariable } from './find-variable.ts'
import { foreignHost } from './foreign-host.ts'

interface Lookup {
  readonly vertex: PlanVertex
  readonly raw: Readonly<Record<string, unknown>>
  /** Fields whose values come from variables. */
  readonly origins: ReadonlyMap<string, VariableOrigin>
  /** Request variables. */
  readonly variables: Readonly<Record<string, string>> | undefined
  readonly run: RunContext
  /** The variable that the node names and nobody has; shown in the error. */
  readonly missing: string | undefined
}

export interface FoundSetting {
  readonly name: string
  readonly value: string
  readonly origin: VariableOrigin
}

/**
 * The key of a secret field that is blank: the user's variable kept for fields of that name, the variable of
 * the usual name, the environment. A blank address has its usual name only. Undefined if there is none.
 * @throws FlowError if the field is required
 */
export async function blankSetting(
  field: FieldPlan,
  lookup: Lookup,
): Promise<FoundSetting | undefined> {
  const { vertex, raw, origins, variables, run } = lookup
  const place = placeOf(field, vertex, raw)
  const usual = usualOf(field, vertex)
  const scope = { ...(run.userId !== undefined && { userId: run.userId }), flowId: run.flowId }
  const lookups = field.secret ? run.services.variables : undefined
  const kept = await lookups?.forField?.(field.displayName, scope)
  // A picker looks for the usual name itself: it depends on the provider.
  const names = [kept, field.fallback ? undefined : (usual?.name ?? place)].filter(
    (name) => name !== undefined && name !== null,
  )
  let foreign: string | undefined
  for (const name of names) {
    const found = await findVariable(name, {
      variables: !field.secret || own(variables ?? {}, name) === '' ? undefined : variables,
      takesKeys: field.secret,
      run,
    })
    if (found === null || found.value.trim() === '') continue
    const target = { vertex, raw, origins, hosts: usual?.hosts ?? [], keyOrigin: found.origin }
    const isKey = field.secret && !field.fallback && place === undefined
    foreign = isKey ? foreignHost(target) : undefined
    if (foreign === undefined) return { name, value: found.value.trim(), origin: found.origin }
  }
  if (!field.required) return undefined
  const before = lookup.missing === undefined ? '' : `${lookup.missing} variable not found. `
  const name = usual?.name ?? place ?? names[0]
  const text = neededSetting(field, vertex, { name, foreign })
  throw new FlowError('missing_input', `${before}${text}`)
}

export function usualOf(field: FieldPlan, vertex: PlanVertex): UsualKey | undefined {
  if (!field.secret) return undefined
  const declared = field.usual === undefined ? undefined : { name: field.usual, hosts: [] }
  return declared ?? usualKey(vertex.component.type, field.name)
}

/** The usual variable of a blank address; undefined if another field of the node says it. */
export function placeOf(
  { name }: FieldPlan,
  { component }: PlanVertex,
  raw: Readonly<Record<string, unknown>>,
): string | undefined {
  const place = usualPlace(component.type, name)
  if (place === undefined) return undefined
  const other = own(raw, place.unless)
  const isSaid = !isEmpty(other) && other !== component.inputs[place.unless]?.options.default
  return isSaid ? undefined : place.name
}

/** What to do about a field without a value. */
export function neededSetting(
  { displayName }: FieldPlan,
  vertex: PlanVertex,
  { name, foreign }: { readonly name: string | undefined; readonly foreign: string | undefined },
): string {
  const start = `Component ${vertex.displayName} needs ${displayName}`
  if (foreign !== undefined)
    return `${start} for the address ${foreign}. Give it in the node, or choose the variable ${name} there.`
  const or = name === undefined ? '' : ` or as the variable ${name}`
  return `${start}. Give it in the node${or}.`
}
