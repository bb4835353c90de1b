import {
  createFlow,
  type FlowDraft,
  type FlowLayout,
  type FlowOptions,
  type NodeOptions,
} from '@x/flow-engine'
import { findGraph, readNode } from '@x/flow-engine/internal'
import { isObject, own, ownObject, ownText } from '@x/wire'
import { addStatement } from './add-statement.ts'
import { compactJson } from './compact-json.ts'
import { ejectEdge, type EdgeNode } from './eject-edges.ts'
import { canonicalFlow } from './format-flow.ts'
import { stringLiteral, valueLiteral } from './literal.ts'
import { makeLayout } from './make-layout.ts'
import { nodeSource, type NodeSource } from './node-source.ts'
import { SourceContext } from './source-context.ts'
import { MAX_WIDTH, textWidth } from './text-width.ts'
import { withoutSecrets } from './without-secrets.ts'

type Json = Readonly<Record<string, unknown>>

export interface EjectOptions {
  /** The name of the flow's file, for the first line and the names of others. Default `flow.json`. */
  readonly file?: string
}

/** A flow as source, with what only the editor shows apart. */
export interface EjectedFlow {
  /** TypeScript that builds a flow which runs the same. */
  readonly source: string
  readonly layout: FlowLayout
  /** The text of the layout's file. */
  readonly layoutText: string
  /** Further files, by their paths from the source. */
  readonly files: ReadonlyMap<string, string>
  /** What a reader should know: nodes that are kept as they are, secrets that were left out. */
  readonly notes: readonly string[]
}

/**
 * Writes a flow as TypeScript. Secret values are left out; with the layout, the source builds the canonical form of
 * all else.
 * @throws TypeError for a value that is no flow
 */
export function ejectFlow(given: unknown, { file = 'flow.json' }: EjectOptions = {}): EjectedFlow {
  const { flow: cleaned, removed } = withoutSecrets(given)
  const flow = canonicalFlow(cleaned)
  const graph = findGraph(flow)
  if (!isObject(flow) || graph === undefined)
    throw new TypeError('It is not a flow (it has no data.nodes)')
  const name = file.split('/').at(-1) ?? ''
  const context = new SourceContext(`./${name.replace(/\.json$/, '')}.flow`)
  const title = ownText(flow, 'name') ?? 'Flow'
  const facts = factsOf(flow)
  const draft = createFlow(title, facts)
  const notes: { readonly at: number; readonly node: unknown }[] = []
  const known: (Json | undefined)[] = []
  const nodes = new Map<string, EdgeNode>()
  const statements: string[] = []
  for (const [at, node] of graph.nodes.entries()) {
    // Notes and other drawings take no part in a run.
    if (isObject(node) && readNode(node, at) === undefined) {
      notes.push({ at, node })
      continue
    }
    const source = nodeSource(node, (taken) => nodes.has(taken), context)
    const id = isObject(node) ? (ownText(node, 'id') ?? '') : ''
    if (!source.isWhole) tellSecrets(removed.get(id) ?? [], { id, source, context })
    known.push(source.isWhole || !isObject(node) ? undefined : node)
    const ref = addTo(draft, source)
    if (!source.isWhole) nodes.set(id, edgeNode(source, ref))
    statements.push(addStatement(source, context))
  }
  const edges = graph.edges.map((edge) => ejectEdge(edge, nodes, draft))
  const layout = layoutOf(draft, { flow, known, edges: graph.edges, notes })
  const text = sourceText({ name, title, facts, statements, edges }, context)
  return {
    source: text,
    layout,
    layoutText: `${compactJson(layout)}\n`,
    files: context.files,
    notes: context.notes,
  }
}

function tellSecrets(
  fields: readonly string[],
  {
    id,
    source,
    context,
  }: { readonly id: string; readonly source: NodeSource; readonly context: SourceContext },
): void {
  for (const field of fields) {
    const shown = field.replaceAll(/[^\w-]+/g, '?').slice(0, 100)
    source.comments.push(
      `// ${shown} had a value; store it as a variable and write variable('...')`,
    )
    context.notes.push(`${id}: ${shown} held a value, which is left out. Store it as a variable`)
  }
}

function addTo(draft: FlowDraft, { added, json }: NodeSource): EdgeNode['ref'] {
  if (added === undefined) return draft.addNode(json)
  return draft.add(added.component, added.options as NodeOptions)
}

function edgeNode(source: NodeSource, ref: EdgeNode['ref']): EdgeNode {
  const { identifier, added, isTyped } = source
  return {
    identifier,
    ref,
    component: isTyped ? added?.component : undefined,
    toolMode: added?.options.toolMode === true,
  }
}

function factsOf(flow: Json): FlowOptions {
  const text = (key: string): string | undefined => ownText(flow, key)
  const [version, endpointName, id] = [
    text('last_tested_version'),
    text('endpoint_name'),
    text('id'),
  ]
  const description = text('description')
  return {
    ...(version === undefined ? {} : { version }),
    ...(description === undefined || description === '' ? {} : { description }),
    ...(endpointName === undefined ? {} : { endpointName }),
    ...(id === undefined ? {} : { id }),
  }
}

function layoutOf(
  draft: FlowDraft,
  given: {
    readonly flow: Json
    readonly known: readonly (Json | undefined)[]
    readonly edges: readonly unknown[]
    readonly notes: readonly { readonly at: number; readonly node: unknown }[]
  },
): FlowLayout {
  const { flow, known, edges, notes } = given
  const built = canonicalFlow(draft.toJSON()) as Json
  const isBare = Array.isArray(own(flow, 'nodes')) || Array.isArray(own(flow, 'edges'))
  const { data: _, ...facts } = built
  const graph = ownObject(built, 'data') ?? {}
  const before = {
    nodes: listOf(graph, 'nodes'),
    edges: listOf(graph, 'edges'),
    facts,
    graph: plain(graph),
  }
  const holder = isBare ? flow : (ownObject(flow, 'data') ?? {})
  const { data: __, ...own_ } = flow
  return makeLayout(before, {
    nodes: known,
    edges,
    facts: isBare ? {} : own_,
    graph: withoutLists(holder),
    isBare,
    notes,
  })
}

const listOf = (graph: Json, key: string): readonly unknown[] => {
  const list = own(graph, key)
  return Array.isArray(list) ? list : []
}

/** A graph whose lists the layout does not compare. */
function plain(graph: Json): Json {
  return { ...graph, nodes: null, edges: null }
}

/** Lists count as there; a graph without one says so. */
function withoutLists(graph: Json): Json {
  const entries = Object.entries(graph).map(([key, value]) =>
    (key === 'nodes' || key === 'edges') && Array.isArray(value) ? [key, null] : [key, value],
  )
  return Object.fromEntries(entries) as Json
}

function sourceText(
  given: {
    readonly name: string
    readonly title: string
    readonly facts: FlowOptions
    readonly statements: readonly string[]
    readonly edges: readonly string[]
  },
  context: SourceContext,
): string {
  const { name, title, facts, statements, edges } = given
  const { usesVariables } = context
  const shown = name.replaceAll(/[^\x20-\x7e]+/g, '?')
  const lines = [
    `// Ejected by x-flow from ${shown}. Yours to edit; x-flow build writes the JSON again.`,
    ...context.head(['createFlow', ...(usesVariables ? ['variable'] : [])]),
    '',
    createStatement(title, facts),
    '',
    ...statements,
    ...(statements.length === 0 ? [] : ['']),
    ...edges,
    ...(edges.length === 0 ? [] : ['']),
    'export default flow',
  ]
  return `${lines.join('\n')}\n`
}

/** The call that makes the flow, with one argument a line where its start does not fit. */
function createStatement(title: string, facts: FlowOptions): string {
  const head = 'const flow = createFlow('
  const name = stringLiteral(title)
  if (Object.keys(facts).length === 0) return `${head}${name})`
  const start = `${head}${name}, `
  const text = `${start}${valueLiteral(facts, '', { at: textWidth(start) })})`
  if (textWidth(text.split('\n')[0] ?? '') <= MAX_WIDTH) return text
  return `${head}\n  ${name},\n  ${valueLiteral(facts, '  ', { at: 2 })},\n)`
}
