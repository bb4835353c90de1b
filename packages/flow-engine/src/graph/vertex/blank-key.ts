import { usualKey } from '../../components/registry/usual-names.ts'
import type { VariableOrigin } from '../../components/define/variable-value.ts'
import { FlowError } from '../../errors.ts'
import { own } from '../flow/plain-object.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { RunContext } from '../context/run-context.ts'
import type { FieldPlan } from './field-plan.ts'
import { findVariable } from './find-variable.ts'

/** Fields that say where a component sends its key; `url` is often the page to read instead. */
const ADDRESS =
  /^(?:base_url|openai_api_base|api_base|mistral_api_base|azure_endpoint|api_endpoint|inference_endpoint|endpoint|opensearch_url|host)$/
const URL_IS_ADDRESS = /^(?:QdrantVectorStoreComponent|IBMwatsonxModel|WatsonxEmbeddingsComponent)$/

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

/**
 * The key of a secret field that is blank: the user's variable kept for fields of that name, the variable of
 * the usual name, the environment (FF-20). Undefined if there is none.
 * @throws FlowError if the field is required
 */
export async function blankKey(field: FieldPlan, lookup: Lookup): Promise<string | undefined> {
  const { vertex, variables, run } = lookup
  const usual = usualKey(vertex.component.type, field.name)
  const { services, flowId, userId } = run
  const scope = userId === undefined ? { flowId } : { userId, flowId }
  const kept = await services.variables?.forField?.(field.displayName, scope)
  const names = [kept ?? undefined, usual?.name].filter((name) => name !== undefined)
  let foreign: string | undefined
  for (const name of names) {
    const found = await findVariable(name, {
      variables: own(variables ?? {}, name) === '' ? undefined : variables,
      takesKeys: true,
      run,
    })
    if (found === null || found.value.trim() === '') continue
    foreign = foreignHost(lookup, usual?.hosts ?? [], found.origin)
    if (foreign === undefined) return found.value.trim()
  }
  if (!field.required) return undefined
  const before = lookup.missing === undefined ? '' : `${lookup.missing} variable not found. `
  const start = `${before}Component ${vertex.displayName} needs ${field.displayName}`
  const name = usual?.name ?? names[0]
  if (foreign !== undefined) {
    const text = `${start} for the address ${foreign}. Give it in the node, or choose the variable ${name} there.`
    throw new FlowError('missing_input', text)
  }
  const or = usual === undefined ? '' : ` or as the variable ${usual.name}`
  throw new FlowError('missing_input', `${start}. Give it in the node${or}.`)
}

/** FF-24: the host of an address that the key may not go to. */
function foreignHost(
  { vertex, raw, origins }: Lookup,
  hosts: readonly string[],
  keyOrigin: VariableOrigin,
): string | undefined {
  for (const [name, field] of Object.entries(vertex.component.inputs)) {
    const isAddress =
      ADDRESS.test(name) || (name === 'url' && URL_IS_ADDRESS.test(vertex.component.type))
    if (!isAddress) continue
    const value = own(raw, name)
    if (vertex.incoming.some((edge) => edge.field === name) && value !== undefined)
      return hostOf(value)
    if (typeof value !== 'string' || value.trim() === '') continue
    const origin = origins.get(name)
    if (origin === 'environment' || (origin === 'user' && keyOrigin !== 'environment')) continue
    const host = hostOf(value)
    const home = hostOf(field.options.default)
    const isOwn = hosts.some((one) => (one.startsWith('.') ? host.endsWith(one) : host === one))
    if (!isOwn && host !== home) return host
  }
  return undefined
}

function hostOf(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  return URL.canParse(text) ? new URL(text).host : text.slice(0, 100)
}
