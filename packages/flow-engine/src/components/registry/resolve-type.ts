import type { FlowNode } from '../../graph/flow/node-json.ts'
import type { TypeTable } from './type-table.ts'

/** The names by which a node's component is looked up. */
export interface TypeNames {
  readonly type: string
  /** `bundle:Class` from `ext:<bundle>:<Class>@<slot>`. */
  readonly ext: string | undefined
  readonly module: string | undefined
  /** The last part of a dotted import path in `type`. */
  readonly lastPart: string | undefined
  hasField(name: string): boolean
}

const EXTENSION = /^ext:([^:@]{1,200}:[^:@]{1,200})@[a-z][a-z0-9_-]{0,100}$/
const IMPORT_PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/

export function typeNames({ data }: FlowNode): TypeNames {
  const { type } = data
  const module: unknown = data.node?.metadata?.module
  const template: unknown = data.node?.template
  return {
    type,
    ext: type.startsWith('ext:') ? EXTENSION.exec(type)?.[1] : undefined,
    module: typeof module === 'string' && module !== '' ? module : undefined,
    lastPart: lastPartOf(type),
    hasField: (name) =>
      typeof template === 'object' && template !== null && Object.hasOwn(template, name),
  }
}

function lastPartOf(type: string): string | undefined {
  if (type.length > 500 || !type.includes('.') || !IMPORT_PATH.test(type)) return undefined
  return type.slice(type.lastIndexOf('.') + 1)
}

/**
 * Yields the types that a node's names may refer to, nearest first; the first existing one
 * is used.
 */
export function* typesOf(names: TypeNames, table: TypeTable): Generator<string> {
  const { type, ext, module, lastPart } = names
  const named = (name: string): string | undefined => {
    const needed = table.needs.get(name)
    return needed === undefined || names.hasField(needed) ? table.names.get(name) : undefined
  }
  const found = [
    ext === undefined ? undefined : table.ext.get(ext),
    module === undefined ? undefined : table.modules.get(module),
    named(type),
    lastPart === undefined ? undefined : named(lastPart),
    lastPart === undefined ? undefined : table.modules.get(type),
  ]
  for (const target of found) if (target !== undefined) yield target
}
