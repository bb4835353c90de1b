import {
  formatHandle,
  isFlowError,
  parseHandle,
  type Component,
  type FlowDraft,
} from '@x/flow-engine'
import { fieldToTemplate, handlesFit, readHandle } from '@x/flow-engine/internal'
import { isObject, own, ownObject, ownText } from '@x/wire'
import { keyLiteral, stringLiteral, valueLiteral } from './literal.ts'
import { MAX_WIDTH, textWidth } from './text-width.ts'

/** A node as edges of the source refer to it. */
export interface EdgeNode {
  readonly identifier: string
  readonly ref: { input(name: string): unknown; output(name: string): unknown }
  /** The component whose names the compiler knows; undefined for embedded ones and for nodes as they are. */
  readonly component: Component | undefined
  readonly toolMode: boolean
}

type Nodes = ReadonlyMap<string, EdgeNode>
type Json = Readonly<Record<string, unknown>>

/** Adds an edge to the draft and returns its statement: a connection, or the edge as it is. */
export function ejectEdge(edge: unknown, nodes: Nodes, draft: FlowDraft): string {
  const ends = isObject(edge) ? endsOf(edge, nodes) : undefined
  if (ends !== undefined) {
    try {
      const { from, to, output, field } = ends
      draft.connect(from.ref.output(output) as never, to.ref.input(field) as never)
      return statement(outputText(from, output), inputText(to, field, from, output))
    } catch (error) {
      // Ends that do not fit are kept, with the problem that they are.
      if (!isFlowError(error)) throw error
    }
  }
  const plain = isObject(edge) ? withoutTexts(edge) : edge
  draft.addEdge(plain)
  return `flow.addEdge(${valueLiteral(plain, '', { at: 13, after: 1 })})`
}

interface Ends {
  readonly from: EdgeNode
  readonly to: EdgeNode
  readonly output: string
  readonly field: string
}

/** The ends of an edge that a connection gives; undefined for others. */
function endsOf(edge: Json, nodes: Nodes): Ends | undefined {
  const from = nodes.get(ownText(edge, 'source') ?? '')
  const to = nodes.get(ownText(edge, 'target') ?? '')
  const [source, target] = [handleOf(edge, 'sourceHandle'), handleOf(edge, 'targetHandle')]
  if (from === undefined || to === undefined || source === undefined || target === undefined)
    return undefined
  if ('fieldName' in source || !('fieldName' in target) || target.proxy !== undefined)
    return undefined
  const { name: output } = source
  if (output === undefined || !handlesFit(source, target)) return undefined
  return { from, to, output, field: target.fieldName }
}

function handleOf(edge: Json, key: string) {
  const handle = readHandle(own(ownObject(edge, 'data') ?? {}, key))
  const text = ownText(edge, key)
  if (handle !== undefined || text?.trimStart().startsWith('{') !== true) return handle
  try {
    return parseHandle(text)
  } catch {
    return undefined
  }
}

function withoutTexts(edge: Json): Json {
  const data = ownObject(edge, 'data') ?? {}
  const implied = ['sourceHandle', 'targetHandle'].filter((key) => {
    const handle = readHandle(own(data, key))
    return handle !== undefined && formatHandle(handle) === own(edge, key)
  })
  return Object.fromEntries(Object.entries(edge).filter(([key]) => !implied.includes(key)))
}

function statement(from: string, to: string): string {
  const line = `flow.connect(${from}, ${to})`
  return textWidth(line) <= MAX_WIDTH ? line : `flow.connect(\n  ${from},\n  ${to},\n)`
}

function outputText({ identifier, component, toolMode }: EdgeNode, name: string): string {
  const isTool = toolMode && name === 'component_as_tool'
  const isTyped =
    component !== undefined &&
    (isTool ||
      (!toolMode && component.nodeOutputs === undefined && Object.hasOwn(component.outputs, name)))
  return isTyped
    ? memberText(`${identifier}.outputs`, name)
    : `${identifier}.output(${stringLiteral(name)})`
}

/** By its type where the compiler can see that the output fits. */
function inputText(
  { identifier, component }: EdgeNode,
  name: string,
  from: EdgeNode,
  output: string,
): string {
  const declared =
    component !== undefined && Object.hasOwn(component.inputs, name)
      ? component.inputs[name]
      : undefined
  const given = givenType(from, output)
  const taken = declared === undefined ? [] : (fieldToTemplate(name, declared).input_types ?? [])
  const isTyped =
    declared !== undefined &&
    (given === undefined || taken.map(canonical).includes(canonical(given)))
  return isTyped
    ? memberText(`${identifier}.inputs`, name)
    : `${identifier}.input(${stringLiteral(name)})`
}

/** The one type that the compiler surely knows of an output; undefined if it knows none, and takes all. */
function givenType({ component, toolMode }: EdgeNode, name: string): string | undefined {
  if (toolMode && name === 'component_as_tool') return component === undefined ? undefined : 'Tool'
  if (component === undefined || !Object.hasOwn(component.outputs, name)) return undefined
  return component.nodeOutputs === undefined ? component.outputs[name]?.types[0] : undefined
}

const ALIASES: Readonly<Record<string, string>> = {
  JSON: 'Data',
  Table: 'DataFrame',
  Text: 'Message',
  str: 'Message',
}
const canonical = (type: string): string =>
  Object.hasOwn(ALIASES, type) ? (ALIASES[type] ?? type) : type

function memberText(object: string, name: string): string {
  const key = keyLiteral(name)
  if (key.startsWith('[')) return `${object}${key}`
  return /^['"]/.test(key) ? `${object}[${key}]` : `${object}.${key}`
}
