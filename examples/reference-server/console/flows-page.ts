import { call } from './api.ts'
import { showSamples } from './api-samples.ts'
import { attachment, setUpAttachments, takeAttachments } from './attachments.ts'
import { attempt, byId, field, make, onSubmit } from './elements.ts'
import { exportFlow } from './export-flow.ts'
import { showCheck } from './flow-check.ts'
import { drawGraph, showNote, showState, type FlowGraph } from './graph-view.ts'
import {
  chosenSession,
  listConversations,
  onConversation,
  type StoredMessage,
} from './conversation.ts'
import { setUpImport } from './import-flow.ts'
import { readJsonLines } from './json-lines.ts'
import type { ConsolePage } from './page.ts'
import { durationOf, replayRun, replayStatus, takeReplay, type Trace } from './replay-run.ts'
import { clearRunRemarks, showFailure, showWarnings, type RunWarning } from './run-remarks.ts'

interface Flow {
  readonly id: string
  readonly name: string
  readonly endpoint_name: string | null
  readonly data: FlowGraph | null
}

interface BuildEvent {
  readonly event: string
  readonly data: {
    readonly id?: string
    readonly ids?: readonly string[]
    readonly text?: string
    readonly chunk?: string
    readonly sender?: string
    readonly category?: string
    readonly files?: readonly string[]
    readonly warnings?: readonly RunWarning[]
    readonly build_data?: {
      readonly id: string
      readonly valid: boolean
      readonly params: string | null
      readonly data?: { readonly duration?: string | null }
      readonly inactivated_vertices: readonly string[]
      readonly next_vertices_ids: readonly string[]
    }
  }
}

let current: Flow | undefined
let running: AbortController | undefined

/** The user's flows: draws and runs them, and shows their conversations. */
export const flowsPage: ConsolePage = {
  name: 'flows',
  title: 'Flows',
  async open() {
    if (!ready) setUpRuns()
    ready = true
    const trace = await takeReplay()
    await listFlows(trace?.flowId)
    if (trace !== undefined) await replay(trace)
  },
}

async function listFlows(wanted = current?.id): Promise<void> {
  const flows = (await (await call('/flows/?get_all=true')).json()) as Flow[]
  const list = byId('flow-list', HTMLUListElement)
  const buttons = flows.map((flow) => {
    const button = make('button', flow.name, { type: 'button' })
    button.addEventListener('click', () => attempt(() => pick(flow, button)))
    return [flow.id, button] as const
  })
  list.replaceChildren(...buttons.map(([, button]) => inItem(button)))
  if (flows.length === 0) list.replaceChildren(make('li', 'You have no flows yet.'))
  const at = Math.max(
    0,
    buttons.findIndex(([id]) => id === wanted),
  )
  const [flow, button] = [flows[at], buttons[at]?.[1]]
  if (flow !== undefined && button !== undefined) await pick(flow, button)
}

/** Shows a past run: its conversation, its nodes one after another, and its input ready to be sent again. */
async function replay(trace: Trace): Promise<void> {
  if (current?.id !== trace.flowId) throw new Error(`The flow "${trace.name}" was deleted.`)
  running?.abort()
  const { signal } = (running = new AbortController())
  const { input, output } = trace
  showMessages([])
  if (input !== null) describe({ id: 'input', sender: 'User', text: input.input_value })
  byId('message', HTMLInputElement).value = input?.input_value ?? ''
  byId('status', HTMLParagraphElement).textContent = replayStatus(trace)
  await replayRun(trace, current.data, signal)
  if (output !== null && !signal.aborted) describe({ id: 'output', text: output.message })
}

let ready = false

function inItem(inner: HTMLElement): HTMLLIElement {
  const made = make('li')
  made.append(inner)
  return made
}

async function pick(flow: Flow, button: HTMLButtonElement): Promise<void> {
  running?.abort()
  current = flow
  for (const other of document.querySelectorAll('#flow-list button'))
    other.setAttribute('aria-current', String(other === button))
  byId('events', HTMLOListElement).replaceChildren()
  byId('status', HTMLParagraphElement).textContent = ''
  clearRunRemarks()
  showMessages([])
  drawGraph(flow.data ?? { nodes: [], edges: [] })
  showSamples(flow)
  await Promise.all([listConversations(flow.id), showCheck(flow, () => current === flow)])
}

function showMessages(messages: readonly StoredMessage[]): void {
  byId('chat', HTMLOListElement).replaceChildren()
  for (const message of messages) describe(message)
}

/** The message without its location, which is shown as the name of the node. */
function reasonOf(params: string | null): string {
  return (params ?? 'failed').replace(/^Error building Component [^:]*:\s*/, '')
}

/** Runs the chosen flow when the form is submitted. Leaving a build that is delivered directly cancels it. */
function setUpRuns(): void {
  onSubmit('run', async (fields) => {
    if (current === undefined) return
    const stop = byId('stop', HTMLButtonElement)
    running?.abort()
    running = new AbortController()
    stop.disabled = false
    showState('waiting')
    clearRunRemarks()
    byId('events', HTMLOListElement).replaceChildren()
    const run = startStatus()
    try {
      const { signal } = running
      const files = await takeAttachments(current.id, signal)
      byId('message', HTMLInputElement).value = ''
      const response = await call(`/build/${current.id}/flow?event_delivery=direct&warnings=true`, {
        method: 'POST',
        body: JSON.stringify({
          inputs: { input_value: field(fields, 'input'), session: chosenSession() },
          files,
        }),
        signal,
      })
      for await (const event of readJsonLines<BuildEvent>(response)) {
        show(event)
        run.count(event)
      }
      run.end()
    } catch (error) {
      run.end(running.signal.aborted ? 'Stopped' : 'Failed')
      if (!running.signal.aborted) throw error
    } finally {
      stop.disabled = true
    }
  })
  setUpAttachments()
  setUpImport(listFlows)
  onConversation(() => current?.id ?? '', showMessages)

  byId('stop', HTMLButtonElement).addEventListener('click', () =>
    attempt(async () => running?.abort()),
  )
  byId('export', HTMLButtonElement).addEventListener('click', () =>
    attempt(async () => {
      if (current !== undefined) await exportFlow(current)
    }),
  )
}

/** Shows the progress and the duration of a run. */
function startStatus() {
  const line = byId('status', HTMLParagraphElement)
  const begin = performance.now()
  let built = 0
  let failed = 0
  const tell = (word: string): void => {
    const ms = performance.now() - begin
    const nodes = built === 1 ? '1 node' : `${built} nodes`
    line.textContent = `${word} · ${nodes} · ${durationOf(Math.round(ms))}`
    line.dataset['state'] = word.toLowerCase()
  }
  tell('Running')
  return {
    count({ event, data }: BuildEvent): void {
      if (event === 'error' && data.build_data === undefined) failed += 1
      if (data.build_data !== undefined) built += 1
      tell('Running')
    },
    end: (word = failed > 0 ? 'Failed' : 'Done'): void => tell(word),
  }
}

function show({ event, data }: BuildEvent): void {
  byId('events', HTMLOListElement).append(make('li', `${event} ${JSON.stringify(data)}`))
  if (event === 'vertices_sorted') for (const id of data.ids ?? []) showState('running', id)
  if (event === 'add_message' || event === 'error') describe(data)
  if (event === 'token') bubble(data.id).textContent += data.chunk ?? ''
  if (event === 'remove_message') bubble(data.id).remove()
  if (event === 'end') showWarnings(current?.data ?? null, data.warnings ?? [])
  const built = data.build_data
  if (built === undefined) return
  showState(built.valid ? 'done' : 'failed', built.id)
  showNote(built.id, built.valid ? (built.data?.duration ?? '') : 'failed')
  if (!built.valid) showFailure(current?.data ?? null, built.id, reasonOf(built.params))
  for (const id of built.inactivated_vertices) showState('skipped', id)
  for (const id of built.next_vertices_ids) showState('running', id)
}

function describe({ id, sender = '', category, text, files = [] }: BuildEvent['data']): void {
  const item = bubble(id)
  item.dataset['sender'] = sender
  item.dataset['error'] = String(category === 'error')
  item.replaceChildren(text ?? '', ...files.map(attachment))
}

/** The element of a message, created if it is new. */
function bubble(id = ''): HTMLLIElement {
  const known = document.querySelector<HTMLLIElement>(`#chat li[data-id="${CSS.escape(id)}"]`)
  if (known !== null) return known
  const item = make('li', '', { 'data-id': id })
  byId('chat', HTMLOListElement).append(item)
  item.scrollIntoView({ block: 'nearest' })
  return item
}
