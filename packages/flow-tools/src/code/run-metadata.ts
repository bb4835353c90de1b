import { FlowCompileError, type ComponentRegistry } from '@x/flow-engine'
import { own, ownObject, ownText, textsIn } from '@x/wire'
import {
  codeHash,
  compilePartly,
  fieldToTemplate,
  graphOf,
  OLDER_CODE,
  planFields,
  type FieldPlan,
  type PlanVertex,
} from '@x/flow-engine/internal'

/** What a run reads of a node, as texts that are equal for nodes that run the same. */
export interface RunMetadata {
  readonly node: string
  readonly fields: ReadonlyMap<string, string>
}

/** Fields whose class components ask for, because it tells the versions of a node apart. */
const READ_BY_CLASS: ReadonlySet<string> = new Set(['model', 'agent_llm', 'model_name', 'provider'])
/** Fields that nodes of some versions lack, and then act otherwise. */
const READ_BY_PRESENCE: ReadonlySet<string> = new Set([
  'storage_location',
  'file_format',
  'max_results',
  'max_content_length',
])
/** Fields of which they ask for the types of values. */
const READ_BY_TYPES: ReadonlySet<string> = new Set(['input_data'])
const LANGUAGES = { languages: new Set(['typescript', 'python'] as const) }

const known = new WeakMap<object, RunMetadata>()

/**
 * What runs read of a node, in a host that runs the code of nodes and in one that does not. A node must not change
 * afterwards.
 */
export function runMetadata(node: object, components: ComponentRegistry): RunMetadata {
  const facts = known.get(node) ?? readFacts(node, components)
  known.set(node, facts)
  return facts
}

function readFacts(node: object, components: ComponentRegistry): RunMetadata {
  const [plain, coded] = [false, LANGUAGES].map((customCode) =>
    factsOf(node, { components, customCode }),
  )
  const fields = new Map(plain?.fields)
  for (const [name, text] of coded?.fields ?? [])
    fields.set(name, `${fields.get(name)} ${text}`.trim())
  return { node: `${plain?.node} ${coded?.node}`, fields }
}

function factsOf(node: unknown, options: Parameters<typeof compilePartly>[1]): RunMetadata {
  try {
    const plan = compilePartly({ data: { nodes: [node], edges: [] } }, options)
    const vertices = graphOf(plan)?.vertices ?? []
    const told = plan.warnings.map(({ code, message }) => [code, message])
    const [vertex] = vertices
    return {
      node: JSON.stringify([vertices.map(vertexMetadata), told]),
      fields: vertices.length === 1 && vertex !== undefined ? fieldFacts(vertex) : new Map(),
    }
  } catch (error) {
    if (!(error instanceof FlowCompileError)) throw error
    return { node: error.message, fields: new Map() }
  }
}

function vertexMetadata(vertex: PlanVertex): unknown {
  const { id, type, displayName, component, outputs, frozen, toolMode, notice, role, kind } = vertex
  const listed = own(vertex.details, 'outputs')
  const loops = (Array.isArray(listed) ? (listed as Record<string, unknown>[]) : [])
    .filter((output) => output['allows_loop'] === true)
    .map((output) => output['name'])
  return [
    [id, type, displayName, outputs, frozen, toolMode, notice, role, kind],
    [component.type, component.version, component.sandboxed, Object.keys(component.outputs)],
    OLDER_CODE.has(codeHash(codeOf(vertex))) ? codeOf(vertex) : '',
    component.sandboxed === true ? [vertex.details['description'], codeOf(vertex)] : '',
    loops.filter((name) => component.outputs[String(name)]?.allowsLoop !== true),
  ]
}

function codeOf({ template }: PlanVertex): string {
  return ownText(ownObject(template, 'code') ?? {}, 'value') ?? ''
}

function fieldFacts(vertex: PlanVertex): Map<string, string> {
  const { fields } = planFields(vertex, undefined)
  const facts = new Map(fields.map((plan) => [plan.name, factsOfField(plan, vertex)]))
  for (const name of Object.keys(vertex.template)) if (!facts.has(name)) facts.set(name, '')
  return facts
}

function factsOfField(plan: FieldPlan, vertex: PlanVertex): string {
  const { name, required, secret, looksUp, list, fallback } = plan
  const { component, template, toolMode } = vertex
  const declared = Object.hasOwn(component.inputs, name) ? component.inputs[name] : undefined
  const isRead = declared !== undefined || component.furtherFields === true
  // The rows of tools are compared by what they change.
  if (!isRead || name === 'tools_metadata') return required ? 'required' : ''
  const variable = plan.variable === '' ? undefined : plan.variable
  const preset = declared === undefined ? undefined : presetOf(name, declared)
  const value = plan.value ?? (variable === undefined ? preset : undefined)
  const isNamed = required || secret || looksUp || variable !== undefined
  const field = ownObject(template, name)
  return JSON.stringify([
    isBlank(value) ? null : value,
    variable,
    [required, list, fallback, secret, looksUp, plan.takesKeys, plan.usual, plan.missingFile],
    isNamed ? plan.displayName : '',
    READ_BY_CLASS.has(name) ? ownText(field ?? {}, '_input_type') : '',
    READ_BY_PRESENCE.has(name) && ownText(field ?? {}, '_input_type') !== undefined,
    READ_BY_TYPES.has(name) ? textsIn(own(field ?? {}, 'input_types')).includes('JSON') : '',
    toolMode && field === undefined,
  ])
}

const presets = new WeakMap<object, { readonly value: unknown }>()

/** The value of a new node's field; made once, as every node of a component asks for it. */
function presetOf(name: string, declared: Parameters<typeof fieldToTemplate>[1]): unknown {
  const preset = presets.get(declared) ?? { value: fieldToTemplate(name, declared).value }
  presets.set(declared, preset)
  return preset.value
}

function isBlank(value: unknown): boolean {
  return value === '' || value === undefined || (Array.isArray(value) && value.length === 0)
}
