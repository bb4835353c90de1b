import { drawnNode } from './drawn-node.ts'
import { byId, make } from './elements.ts'
import { clearRemarks, hasRemark, nameOf, showRemark, type FlowGraph } from './graph-view.ts'
import { clearProblems, showProblem } from './problems.ts'

/** A warning in the last event of a build. */
export interface RunWarning {
  readonly message: string
  readonly component_id?: string
}

interface Said {
  readonly texts: string[]
  severity: 'error' | 'warning'
}

/** The messages of the run so far, by node. */
const beside = new Map<string, Said>()

/** Clears the messages of the last run. */
export function clearRunRemarks(): void {
  beside.clear()
  clearProblems()
  clearRemarks('run')
  const list = byId('run-warnings', HTMLUListElement)
  list.hidden = true
  list.replaceChildren()
}

/** Shows the error of a node beside it and in the list of failures. */
export function showFailure(graph: FlowGraph | null, id: string, reason: string): void {
  const node = drawnNode(graph, id) ?? id
  showProblem(nameOf(node), reason)
  say(node, reason, 'error')
}

/** Shows the warnings of a run beside their nodes and as a list, except those the check already shows. */
export function showWarnings(graph: FlowGraph | null, warnings: readonly RunWarning[]): void {
  const lines = new Set<string>()
  for (const { message, component_id: id = null } of warnings) {
    const node = drawnNode(graph, id)
    if (node === undefined) lines.add(message)
    else if (!hasRemark(node, message)) {
      const text = plainly(message, nameOf(node))
      lines.add(`${nameOf(node)}: ${text}`)
      say(node, text, 'warning')
    }
  }
  const list = byId('run-warnings', HTMLUListElement)
  list.replaceChildren(...[...lines].map((line) => make('li', line)))
  list.hidden = lines.size === 0
}

function say(node: string, text: string, severity: Said['severity']): void {
  const said: Said = beside.get(node) ?? { texts: [], severity }
  beside.set(node, said)
  if (!said.texts.includes(text)) said.texts.push(text)
  if (severity === 'error') said.severity = severity
  showRemark(node, said.texts.join(' '), said.severity, 'run')
}

/** The message without the name of the node, which is shown beside it. */
function plainly(message: string, name: string): string {
  const prefix = `Component ${name}: `
  const text = message.startsWith(prefix) ? message.slice(prefix.length) : message
  return text.charAt(0).toUpperCase() + text.slice(1)
}
