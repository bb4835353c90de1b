import { ApiError, call } from './api.ts'
import { drawnNode } from './drawn-node.ts'
import { byId, make } from './elements.ts'
import { markEdge, nameOf, showRemark, type FlowGraph } from './graph-view.ts'

interface Problem {
  readonly message: string
  readonly severity: 'error' | 'warning'
  readonly node_id: string | null
  readonly edge_id: string | null
}

/** Maximum number of problems shown; more usually have one cause or are of one kind. */
const MAX_SHOWN = 50

/** Checks a flow without running it, and shows each problem beside its node and in a list. */
export async function showCheck(
  { id, data }: { readonly id: string; readonly data: FlowGraph | null },
  isShown: () => boolean,
): Promise<void> {
  const list = byId('warnings', HTMLUListElement)
  list.hidden = true
  list.replaceChildren()
  const found = await problemsOf(id)
  if (!isShown()) return
  const beside = new Map<string, Problem[]>()
  const items = new Map<string, HTMLLIElement>()
  for (const problem of found.problems.slice(0, MAX_SHOWN)) {
    const text = plainly(problem)
    const node = drawnNode(data, problem.node_id)
    const edge = data?.edges.find((one) => one.id === problem.edge_id)
    if (edge !== undefined) markEdge(edge.id ?? '')
    const at = node ?? edge?.target
    if (at !== undefined) beside.set(at, [...(beside.get(at) ?? []), { ...problem, message: text }])
    const line = at === undefined ? text : `${nameOf(at)}: ${text}`
    items.set(line, make('li', line, { 'data-severity': problem.severity }))
  }
  for (const [node, problems] of beside) {
    const messages = [...new Set(problems.map(({ message }) => message))]
    const isError = problems.some(({ severity }) => severity === 'error')
    showRemark(node, messages.join(' '), isError ? 'error' : 'warning', 'check')
  }
  const more = found.total - Math.min(found.problems.length, MAX_SHOWN)
  if (more > 0) items.set('more', make('li', `${more} more`))
  list.replaceChildren(...items.values())
  list.hidden = items.size === 0
}

async function problemsOf(id: string): Promise<{ total: number; problems: readonly Problem[] }> {
  try {
    const answer = await call(`/flows/${id}/problems`)
    return (await answer.json()) as { total: number; problems: Problem[] }
  } catch (error) {
    // A bundled example has no owner and cannot be checked.
    if (error instanceof ApiError && error.status === 404) return { total: 0, problems: [] }
    throw error
  }
}

/** The message without the id of the node, which is shown beside it. */
function plainly({ message, node_id: id }: Problem): string {
  const [, type, why] =
    /^Unknown component types: (.*?) \([^:)]*(?:: (.*))?\)$/s.exec(message) ?? []
  if (type === undefined) return message
  const text = why === undefined ? `Unknown type ${type}` : `Unknown type ${type}: ${why}`
  return id === null ? message : text
}
