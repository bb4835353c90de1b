import { isObject } from '@x/wire'
import type { VariableOrigin } from '../../components/define/variable-value.ts'
import { isModelChoice, readPicked } from '../../components/define/picked-model.ts'
import { findProvider, keyNameOf } from '../../models/provider-table.ts'
import { isAddressOf, vendors } from '../../outgoing/vendors.ts'
import { warning, type FlowProblem } from '../flow/problems.ts'
import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { neededSetting, placeOf, usualOf } from './blank-setting.ts'
import { isEmpty, planFields, type FieldPlan } from './field-plan.ts'
import { foreignHost } from './foreign-host.ts'

/** The variables that a run of the flow would find. */
export interface KnownVariables {
  has(name: string): boolean
  /** The user's variable kept for fields with this display name. */
  keptFor(displayName: string): string | undefined
}

/**
 * Warnings about what a run would stop at: required fields that are blank, keys that no variable holds, and
 * keys that go to another host than the vendor's. Keys only if the variables are known.
 */
export function missingSettings(
  { vertices }: PlanGraph,
  known: KnownVariables | undefined,
): FlowProblem[] {
  return vertices.flatMap((vertex) => settingsOf(vertex, known))
}

interface Place {
  readonly vertex: PlanVertex
  readonly raw: Readonly<Record<string, unknown>>
  readonly origins: ReadonlyMap<string, VariableOrigin>
  readonly known: KnownVariables | undefined
}

function settingsOf(vertex: PlanVertex, known: KnownVariables | undefined): FlowProblem[] {
  const { fields, fixed } = planFields(vertex, undefined)
  const origins = new Map<string, VariableOrigin>()
  const raw: Record<string, unknown> = { ...fixed }
  for (const { name, variable = '' } of fields) {
    if (variable === '') continue
    raw[name] = variable
    origins.set(name, 'user')
  }
  const place = { vertex, raw, origins, known }
  const blank = fields.flatMap((field) => (field.edges.length > 0 ? [] : settingOf(field, place)))
  return [...blank, ...wrongSettings(vertex, raw)]
}

/** Stored values with which the vertex would be refused when it runs. */
function wrongSettings(vertex: PlanVertex, raw: Readonly<Record<string, unknown>>): FlowProblem[] {
  const { id: nodeId, displayName, component, template } = vertex
  const isFed = (name: string): boolean => vertex.incoming.some((edge) => edge.field === name)
  const why = new Map<string, string>()
  for (const { name, displayName: label, variable, edges } of planFields(vertex, undefined)
    .addresses) {
    const text = typeof raw[name] === 'string' ? raw[name].trim() : ''
    if (text !== '' && edges.length === 0 && variable === undefined && !URL.canParse(text))
      why.set(name, `${label} is not a valid URL`)
  }
  for (const [name, { fieldKind }] of Object.entries(component.inputs)) {
    if (isFed(name)) continue
    if (fieldKind === 'mcp' && !isServer(raw[name])) why.set(name, 'No MCP server selected')
    const isList = fieldKind === 'picker' && name === 'model' && Object.hasOwn(template, name)
    const hasOlder = OLDER_CHOICES.some((older) => isFed(older) || !isEmpty(raw[older]))
    if (isList && !hasOlder && readPicked(raw[name]) === null)
      why.set(name, 'A model selection is required')
  }
  for (const [name, text] of Object.entries(component.check?.(raw) ?? {})) why.set(name, text)
  return [...why].map(([field, text]) =>
    warning('missing_input', `Component ${displayName}: ${text}`, { nodeId, field }),
  )
}

/** Where older versions keep the chosen model or its provider. */
const OLDER_CHOICES = ['agent_llm', 'provider', 'llm']

const isServer = (value: unknown): boolean =>
  isObject(value) && (!isEmpty(value['name']) || isObject(value['config']))

function settingOf(field: FieldPlan, place: Place): FlowProblem[] {
  const { vertex, raw, known } = place
  const variable = field.variable ?? ''
  const at = { nodeId: vertex.id, field: field.name }
  const isGiven = variable === '' ? !isEmpty(field.value) : known?.has(variable) !== false
  if (isGiven) return field.secret && variable !== '' ? otherHost(field, variable, place) : []
  if (field.fallback) return pickedKey(field, place)
  if (!field.required || field.missingFile) return []
  if (!field.looksUp) {
    const text = `Component ${vertex.displayName} is missing the required input ${field.displayName}`
    return [warning('missing_input', text, at)]
  }
  if (known === undefined) return []
  const usual = usualOf(field, vertex)
  const usualAddress = placeOf(field, vertex, raw)
  const names = [
    field.secret ? known.keptFor(field.displayName) : undefined,
    usual?.name ?? usualAddress,
  ].filter((name) => name !== undefined)
  const found = names.some((name) => known.has(name))
  const foreign =
    found && field.secret && usualAddress === undefined ? hostOf(field, place) : undefined
  if (found && foreign === undefined) return []
  const name = usual?.name ?? usualAddress ?? names.at(-1)
  const before = variable === '' ? '' : `${variable} variable not found. `
  const text = `${before}${neededSetting(field, vertex, { name, foreign })}`
  return [warning('missing_key', text, { ...at, ...(name !== undefined && { variable: name }) })]
}

function otherHost(field: FieldPlan, variable: string, place: Place): FlowProblem[] {
  if (usualOf(field, place.vertex) === undefined) return []
  const host = hostOf(field, place)
  if (host === undefined) return []
  const text = `Component ${place.vertex.displayName} sends the variable ${variable} to ${host}`
  const at = { nodeId: place.vertex.id, field: field.name, variable, host }
  return [warning('key_to_other_host', text, at)]
}

function hostOf(field: FieldPlan, { vertex, raw, origins }: Place): string | undefined {
  const hosts = usualOf(field, vertex)?.hosts ?? []
  return foreignHost({ vertex, raw, origins, hosts, keyOrigin: 'user' })
}

/** The key of a model picker depends on the provider that is chosen. */
function pickedKey(field: FieldPlan, { vertex, raw, known }: Place): FlowProblem[] {
  if (known === undefined) return []
  const provider = chosenProvider(vertex, raw)
  const name = provider === undefined ? null : keyNameOf(provider)
  if (provider === undefined || name === null || findProvider(provider)?.keyOptional === true)
    return []
  const kept = known.keptFor(field.displayName)
  const found = known.has(name) || (kept !== undefined && known.has(kept))
  const address = raw[PROVIDER_ADDRESS[findProvider(provider)?.name ?? ''] ?? '']
  const foreign = found && typeof address === 'string' ? foreignTo(provider, address) : undefined
  if (found && foreign === undefined) return []
  const text = neededSetting(field, vertex, { name, foreign })
  return [warning('missing_key', text, { nodeId: vertex.id, field: field.name, variable: name })]
}

/** The field with the address of a provider, beside a picker. */
const PROVIDER_ADDRESS: Readonly<Record<string, string>> = {
  OpenAI: 'openai_api_base',
  'IBM WatsonX': 'base_url_ibm_watsonx',
}

function foreignTo(provider: string, address: string): string | undefined {
  const text = address.trim()
  if (!URL.canParse(text)) return undefined
  const { host } = new URL(text)
  const vendor = vendors.find(({ providers }) => providers.includes(provider))
  return vendor !== undefined && isAddressOf(vendor, text, undefined) ? undefined : host
}

/** The provider of a picker, or of the list that older versions have; undefined if a model is connected. */
function chosenProvider(
  { component, incoming }: PlanVertex,
  raw: Readonly<Record<string, unknown>>,
): string | undefined {
  const isFed = (name: string): boolean => incoming.some((edge) => edge.field === name)
  const picker = Object.keys(component.inputs).find(
    (name) => component.inputs[name]?.fieldKind === 'picker',
  )
  if (picker === undefined || isFed(picker)) return undefined
  const chosen = readPicked(raw[picker])
  if (isModelChoice(chosen)) return chosen.provider === '' ? undefined : chosen.provider
  const older = ['agent_llm', 'provider'].find((name) => typeof raw[name] === 'string')
  return older === undefined || isFed(older) ? undefined : String(raw[older])
}
