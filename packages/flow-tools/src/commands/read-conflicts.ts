import { isObject } from '@x/wire'
import type { FlowConflict } from '../code/merge-flows.ts'
import { UsageError } from '../command/command.ts'
import { parseJson } from '../command/flow-files.ts'
import { readText } from '../command/write-files.ts'

const KINDS: ReadonlySet<unknown> = new Set(['field', 'node', 'node_added', 'edge', 'flow'])

/**
 * The conflicts that a merge left beside a flow; none without their file.
 * @throws UsageError for a broken list
 */
export async function readConflicts(flow: string, shown: string): Promise<FlowConflict[]> {
  const text = await readText(`${flow}.conflicts.json`)
  if (text === undefined) return []
  const path = `${shown}.conflicts.json`
  const list = parseJson(path, text)
  if (!Array.isArray(list)) throw new UsageError(`${path} is not a list`)
  return list.map((item: unknown, at) => {
    const isNode = isObject(item) && (typeof item['node'] === 'string' || item['node'] === null)
    if (!isNode || !KINDS.has(item['kind'])) throw new UsageError(`${path}: [${at}] is no conflict`)
    return item as unknown as FlowConflict
  })
}
