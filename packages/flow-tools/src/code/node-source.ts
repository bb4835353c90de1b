import type { Component, FlowNode, NodeDetails } from '@x/flow-engine'
import {
  codeHash,
  embeddedComponent,
  languageOf,
  OLDER_CODE,
  readNodeCode,
} from '@x/flow-engine/internal'
import { isObject, pythonClass, own, ownObject, ownText } from '@x/wire'
import { ejectNode, type AddOptions } from './eject-node.ts'
import { library } from './library.ts'
import type { SourceContext } from './source-context.ts'

type Json = Readonly<Record<string, unknown>>

/** How the source adds a node. */
export interface NodeSource {
  readonly identifier: string
  /** The expression of the component, or of the node as it is. */
  readonly text: string
  readonly comments: string[]
  /** Undefined for a node that is added as it is. */
  readonly added?: { readonly component: Component; readonly options: AddOptions }
  readonly json?: unknown
  /** The compiler knows the names of its fields and outputs. */
  readonly isTyped: boolean
  /** The layout has nothing of it. */
  readonly isWhole: boolean
}

/**
 * @param node in canonical form
 * @param isTaken whether a node before has the id
 */
export function nodeSource(
  node: unknown,
  isTaken: (id: string) => boolean,
  context: SourceContext,
): NodeSource {
  const data = isObject(node) ? ownObject(node, 'data') : undefined
  const details = data && ownObject(data, 'node')
  const id = isObject(node) ? ownText(node, 'id') : undefined
  const type = data && ownText(data, 'type')
  const isOdd = id === undefined || type === undefined || details === undefined || isTaken(id)
  const name = (details && ownText(details, 'display_name')) || type || 'node'
  const identifier = context.names.identifier(name, type)
  if (!isObject(node) || isOdd)
    return keptNode(
      node,
      {
        identifier,
        name: id ?? 'node',
        isWhole: true,
        why: 'The node is kept as it is.',
      },
      context,
    )
  const kept = (why: string): NodeSource => {
    const { position: _, ...rest } = node
    context.notes.push(`${name.slice(0, 100)} (${id.slice(0, 100)}) ${why}`)
    return keptNode(rest, { identifier, name: id, isWhole: false, why: `${type} ${why}` }, context)
  }
  if (own(details, 'flow') !== undefined && own(details, 'flow') !== null)
    return kept('is a group; its node is kept as it is.')
  const known = library()
  const { registry } = known
  const named = registry.resolve(node as unknown as FlowNode)
  const code = readNodeCode(details, named, registry)
  const text = ownText(ownObject(ownObject(details, 'template') ?? {}, 'code') ?? {}, 'value')
  // Nodes of older versions that run otherwise are told by their code.
  const isOwnCode = code.kind !== 'stock' || OLDER_CODE.has(codeHash(text ?? ''))
  if (isOwnCode && text !== undefined && !NAMES_COMPONENT.test(text)) {
    const source = embeddedSource(node, { type, details, code: text, identifier }, context)
    return source ?? kept('has code of its own; its node is kept as it is.')
  }
  if (named === undefined) return kept('is not in the library; its node is kept as it is.')
  const place = known.nameOf(named)
  const options = place && ejectNode(node, named)
  if (place === undefined || options === undefined)
    return kept('differs from the one of the library; its node is kept as it is.')
  context.spaces.add(place.space)
  return {
    identifier,
    text: `${place.space}.${place.name}`,
    comments: [],
    added: { component: named, options },
    isTyped: true,
    isWhole: false,
  }
}

/** The line by which a component of a host is told; it is no code of a node. */
const NAMES_COMPONENT = /^export \{ \w+ as default \} from '@x\/flow-engine\/components'\s*$/

function keptNode(
  json: unknown,
  {
    identifier,
    name,
    isWhole,
    why,
  }: {
    readonly identifier: string
    readonly name: string
    readonly isWhole: boolean
    readonly why: string
  },
  context: SourceContext,
): NodeSource {
  const text = context.importJson(json, { name, identifier: `${identifier} node` })
  const comment = `// ${why.replaceAll(/[^\x20-\x7e]+/g, '?').slice(0, 200)}`
  return { identifier, text, comments: [comment], json, isTyped: false, isWhole }
}

/** Undefined if the component does not give a node that runs the same. */
function embeddedSource(
  node: Json,
  {
    type,
    details,
    code,
    identifier,
  }: {
    readonly type: string
    readonly details: Json
    readonly code: string
    readonly identifier: string
  },
  context: SourceContext,
): NodeSource | undefined {
  const facts = withoutValues(details)
  const component = embedded(type, facts, code)
  const options = component && ejectNode(node, component)
  if (component === undefined || options === undefined) return undefined
  const isPython = languageOf(code) === 'python'
  const name = (isPython ? pythonClass(code) : undefined) ?? type
  const text = context.embedded({
    name,
    ending: isPython ? 'py' : 'ts',
    code,
    facts: { type, node: facts },
  })
  return {
    identifier,
    text,
    comments: [],
    added: { component, options },
    isTyped: false,
    isWhole: false,
  }
}

function embedded(type: string, details: Json, code: string): Component | undefined {
  try {
    return embeddedComponent(type, details as unknown as NodeDetails, code)
  } catch (error) {
    // Names of fields that a component cannot have.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Fields and outputs as the editor computed them. */
function withoutValues(details: Json): Json {
  const { tool_mode: _, frozen: __, ...rest } = details
  const template = ownObject(details, 'template') ?? {}
  const fields = Object.entries(template)
    .filter(([name]) => name !== 'tools_metadata')
    .map(([name, field]) => [name, isObject(field) ? blank(field) : field] as const)
  return { ...rest, template: Object.fromEntries(fields) }
}

function blank(field: Json): Json {
  const { value: _, ...rest } = field
  return {
    ...rest,
    ...(rest['load_from_db'] === true ? { load_from_db: false } : {}),
    ...(rest['type'] === 'file' ? { file_path: '' } : {}),
  }
}
