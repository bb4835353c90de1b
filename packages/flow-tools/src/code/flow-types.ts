import { classOf, expandGroups, findGraph } from '@x/flow-engine/internal'
import { isObject, own, ownObject, ownText } from '@x/wire'
import { fieldType, isLoaded } from './field-type.ts'
import { fieldRole, isOutputNode, outputType } from './node-roles.ts'
import { quote } from './quote.ts'
import type { FlatNode } from '@x/flow-engine/internal'

export interface FlowTypesOptions {
  /** The name of the flow file, without a folder. Default `flow.json`. */
  readonly file?: string
  /** The kind of module that the two files are. Default `esm`. */
  readonly module?: 'esm' | 'commonjs'
}

/** The two files that give a flow file its types. */
export interface FlowTypes {
  /** Passes the JSON on. */
  readonly js: string
  /** Declares its type, without the JSON being read by the compiler. */
  readonly dts: string
  /** Nodes with fields that a run gives or may give, by id. */
  readonly inputs: readonly string[]
  /** The variables that fields load, sorted. */
  readonly variables: readonly string[]
  /** Whether each run needs a session. */
  readonly session: boolean
}

/** Writes the types of a flow: a function of the file alone. */
export function flowTypes(flow: unknown, options: FlowTypesOptions = {}): FlowTypes {
  const { file = 'flow.json', module = 'esm' } = options
  const shape = shapeOf(flow)
  const head = `// Written by x-flow types from ${oneLine(file)}. Do not edit.\n`
  const address = quote(`./${file}`)
  const isEsm = module === 'esm'
  const js = isEsm
    ? `import flow from ${address} with { type: 'json' }\nexport default flow\n`
    : `module.exports = require(${address})\n`
  const body = shape.nodes.map((lines) => lines.map((line) => `    ${line}\n`).join('')).join('')
  const used = ['Data', 'DataFrame', 'JsonValue', 'Message', 'TypedFlow'].filter((name) =>
    name === 'TypedFlow' ? true : shape.used.has(name),
  )
  const dts = [
    `import type { ${used.join(', ')} } from '@x/flow-engine'\n`,
    `declare const flow: TypedFlow<{`,
    `  input: ${quote(shape.input)}`,
    `  nodes: {${body === '' ? '}' : `\n${body}  }`}`,
    `  variables: ${shape.variables.map(quote).join(' | ') || 'never'}`,
    `  session: ${quote(shape.session ? 'required' : 'optional')}`,
    `}>`,
    isEsm ? 'export default flow' : 'export = flow',
    '',
  ].join('\n')
  const { inputs, variables, session } = shape
  return { js: head + js, dts: head + dts, inputs, variables, session }
}

/** Whether each run of a flow must be given an input. */
export function needsInput(flow: unknown): boolean {
  return shapeOf(flow).input === 'required'
}

interface Shape {
  readonly input: 'required' | 'optional' | 'none'
  readonly nodes: readonly (readonly string[])[]
  readonly inputs: readonly string[]
  readonly variables: readonly string[]
  readonly session: boolean
  readonly used: ReadonlySet<string>
}

/** Longer names of nodes are no keys. */
const MAX_NAME = 200
/** Bytes of a node's declaration. */
const MAX_NODE = 6000
/** Fields of a node up to which each has a line. */
const MAX_LINES = 25

function shapeOf(flow: unknown): Shape {
  const { nodes: all, edges } = expandGroups(findGraph(flow) ?? { nodes: [], edges: [] })
  const nodes = [...new Map(all.map((node) => [node.id, node])).values()]
  const fed = new Set(edges.map(({ target, targetHandle }) => placeOf(target, targetHandle)))
  const connected = new Set(edges.map(({ source }) => source))
  const named = namesOf(nodes)
  const used = new Set<string>()
  const variables = new Set<string>()
  const inputs: string[] = []
  let input: Shape['input'] = 'none'
  let session = false
  const texts = nodes.map((node) => {
    const isFed = (field: string): boolean => fed.has(`${node.id} ${field}`)
    for (const [name, field] of fieldsOf(node))
      if (!isFed(name) && isLoaded(field)) variables.add(String(own(field, 'value')))
    const needed = inputOf(node, isFed)
    if (needed === 'required' || input === 'none') input = needed ?? input
    session ||= readsConversation(node)
    const output = outputOf(node, connected)
    if (output !== undefined) used.add(output)
    const declared = declare(node, { name: named.get(node.id), isFed, output })
    if (declared.takesInputs) inputs.push(node.id)
    if (declared.lines.some((line) => line.includes('JsonValue'))) used.add('JsonValue')
    return declared.lines
  })
  return {
    input,
    nodes: texts,
    inputs,
    variables: [...variables].toSorted((a, b) => (a < b ? -1 : 1)),
    session,
    used,
  }
}

function placeOf(target: string, handle: object): string {
  return `${target} ${ownText(handle as Record<string, unknown>, 'fieldName') ?? ''}`
}

/** Display names that one node alone has and that are no id. */
function namesOf(nodes: readonly FlatNode[]): ReadonlyMap<string, string> {
  const ids = new Set(nodes.map(({ id }) => id))
  const byName = new Map<string, string | undefined>()
  for (const { id, details, type } of nodes) {
    const name = ownText(details, 'display_name') || type
    byName.set(name, byName.has(name) ? undefined : id)
  }
  const usable = [...byName].flatMap(([name, id]) =>
    id === undefined || ids.has(name) || name.length > MAX_NAME ? [] : [[id, name] as const],
  )
  return new Map(usable)
}

function fieldsOf({ template }: FlatNode): [string, Record<string, unknown>][] {
  return Object.entries(template).filter((entry): entry is [string, Record<string, unknown>] =>
    isObject(entry[1]),
  )
}

function inputOf(
  node: FlatNode,
  isFed: (field: string) => boolean,
): 'required' | 'optional' | undefined {
  const isChat = isClass(node, 'ChatInput')
  if (!isChat) return isClass(node, 'TextInput') ? 'optional' : undefined
  if (isFed('input_value')) return undefined
  const stored = own(ownObject(node.template, 'input_value') ?? {}, 'value')
  return isBlank(stored) ? 'required' : 'optional'
}

function readsConversation(node: FlatNode): boolean {
  if (isClass(node, 'Agent')) return true
  const mode = own(ownObject(node.template, 'mode') ?? {}, 'value')
  return isClass(node, 'Memory') && mode !== 'Store'
}

function outputOf(node: FlatNode, connected: ReadonlySet<string>): string | undefined {
  if (own(node.details, 'tool_mode') === true) return undefined
  if (!isOutputNode(node) && connected.has(node.id)) return undefined
  return outputType(node)
}

interface Given {
  readonly name: string | undefined
  readonly isFed: (field: string) => boolean
  readonly output: string | undefined
}

function declare(
  node: FlatNode,
  given: Given,
): { readonly lines: readonly string[]; readonly takesInputs: boolean } {
  for (const most of [200, 20, 0]) {
    const declared = declareWith(node, given, most)
    const isLast = most === 0
    if (isLast || declared.lines.join('\n').length <= MAX_NODE) return declared
  }
  return { lines: [], takesInputs: false }
}

/** @param most options of a field that are listed */
function declareWith(
  node: FlatNode,
  { name, isFed, output }: Given,
  most: number,
): { readonly lines: readonly string[]; readonly takesInputs: boolean } {
  const parts: Record<'required' | 'optional' | 'tweaks', string[]> = {
    required: [],
    optional: [],
    tweaks: [],
  }
  const role = fieldRole(node)
  for (const [field, json] of fieldsOf(node)) {
    if (isFed(field) || field === 'code') continue
    const kind = role(field)
    if (kind === 'input') {
      const type = isClass(node, 'Webhook') ? 'JsonValue' : 'string'
      const part = isBlank(own(json, 'value')) ? 'required' : 'optional'
      parts[part].push(`${key(field)}: ${type}`)
      continue
    }
    const type = own(json, 'show') === false ? undefined : fieldType(json, most)
    if (type !== undefined) parts.tweaks.push(`${key(field)}: ${type}`)
  }
  const lines = [
    `${key(node.id)}: {`,
    ...(name === undefined ? [] : [`  name: ${quote(name)}`]),
    ...Object.entries(parts).flatMap(([part, fields]) => block(part, fields)),
    ...(output === undefined ? [] : [`  output: ${output}`]),
    '}',
  ]
  return { lines, takesInputs: parts.required.length + parts.optional.length > 0 }
}

function block(part: string, fields: readonly string[]): string[] {
  if (fields.length === 0) return []
  if (fields.length === 1 || fields.length > MAX_LINES)
    return [`  ${part}: { ${fields.join('; ')} }`]
  return [`  ${part}: {`, ...fields.map((field) => `    ${field}`), '  }']
}

function isClass({ id, type }: FlatNode, name: string): boolean {
  return type === name || classOf(id) === name
}

export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' && value.trim() === ''
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
}
