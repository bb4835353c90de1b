import { isObject, own, ownObject } from '@x/wire'
import { findGraph, isProblem, readEdge, readNode, type NodeEntry } from './flow-json.ts'

/** The differences between two flows. */
export interface FlowDiff {
  readonly nodes: {
    /** Ids, in node order. */
    readonly added: readonly string[]
    readonly removed: readonly string[]
    readonly changed: readonly NodeDiff[]
  }
  /** Formatted as `<source>.<output> -> <target>.<field>`. */
  readonly edges: { readonly added: readonly string[]; readonly removed: readonly string[] }
}

export interface NodeDiff {
  readonly id: string
  readonly fields: readonly FieldDiff[]
}

/** JSON values; null if a field is missing, `*****` for password fields. */
export interface FieldDiff {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

const HIDDEN = '*****'
/** Compared node properties besides the fields. */
const DETAILS = ['display_name', 'frozen', 'tool_mode'] as const

/** Compares two flows. Positions, sizes, the viewport, selections and notes are ignored. */
export function diffFlows(a: unknown, b: unknown): FlowDiff {
  const [before, after] = [partsOf(a), partsOf(b)]
  return {
    nodes: {
      added: [...after.nodes.keys()].filter((id) => !before.nodes.has(id)),
      removed: [...before.nodes.keys()].filter((id) => !after.nodes.has(id)),
      changed: [...after.nodes].flatMap(([id, node]) => {
        const old = before.nodes.get(id)
        const fields = old === undefined ? [] : fieldDiffs(old, node)
        return fields.length === 0 ? [] : [{ id, fields }]
      }),
    },
    edges: {
      added: [...after.edges].filter((edge) => !before.edges.has(edge)),
      removed: [...before.edges].filter((edge) => !after.edges.has(edge)),
    },
  }
}

interface Parts {
  readonly nodes: ReadonlyMap<string, NodeEntry>
  readonly edges: ReadonlySet<string>
}

function partsOf(flow: unknown): Parts {
  const { nodes, edges } = findGraph(flow) ?? { nodes: [], edges: [] }
  const entries = nodes.flatMap((value, index) => {
    const node = readNode(value, index)
    return node === undefined || isProblem(node) ? [] : [[node.id, node] as const]
  })
  const texts = edges.flatMap((value, index) => {
    const edge = readEdge(value, index)
    return isProblem(edge) ? [] : [edgeText(edge.source, edge.target, edge.raw)]
  })
  return { nodes: new Map(entries), edges: new Set(texts) }
}

function edgeText(source: string, target: string, raw: Readonly<Record<string, unknown>>): string {
  const data = ownObject(raw, 'data') ?? {}
  const output = own(ownObject(data, 'sourceHandle') ?? {}, 'name')
  const handle = ownObject(data, 'targetHandle') ?? {}
  const field = own(handle, 'fieldName') ?? own(handle, 'name')
  const isRead = typeof output === 'string' && typeof field === 'string'
  if (isRead) return `${source}.${output} -> ${target}.${field}`
  return `${source} ${String(own(raw, 'sourceHandle'))} -> ${target} ${String(own(raw, 'targetHandle'))}`
}

function fieldDiffs(before: NodeEntry, after: NodeEntry): FieldDiff[] {
  const names = new Set([...Object.keys(before.template), ...Object.keys(after.template)])
  const diffs: FieldDiff[] = []
  const compare = (field: string, from: unknown, to: unknown, isHidden: boolean): void => {
    if (JSON.stringify(from ?? null) === JSON.stringify(to ?? null)) return
    const shown = (value: unknown): unknown =>
      isHidden && value !== undefined && value !== null && value !== '' ? HIDDEN : (value ?? null)
    diffs.push({ field, from: shown(from), to: shown(to) })
  }
  compare('type', before.type, after.type, false)
  for (const name of DETAILS)
    compare(name, own(before.details, name), own(after.details, name), false)
  for (const name of names) {
    const [old, now] = [own(before.template, name), own(after.template, name)]
    const isHidden = isSecret(old) || isSecret(now)
    compare(name, valueOf(old), valueOf(now), isHidden)
  }
  return diffs
}

/**
 * The value of a field, and whether it names a variable. The file of a file field stands for its value; the
 * editor writes a blank `file_path` on fields of other types too.
 */
function valueOf(field: unknown): unknown {
  if (!isObject(field)) return field
  const file = own(field, 'type') === 'file' ? own(field, 'file_path') : undefined
  const value = isBlank(file) ? own(field, 'value') : file
  return own(field, 'load_from_db') === true ? { variable: value } : value
}

function isBlank(file: unknown): boolean {
  return (
    file === undefined || file === null || file === '' || (Array.isArray(file) && file.length === 0)
  )
}

function isSecret(field: unknown): boolean {
  return isObject(field) && (own(field, 'password') === true || own(field, 'type') === 'secret')
}
