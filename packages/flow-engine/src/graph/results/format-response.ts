import { FinishedRun, type ResultNotes } from './finished-run.ts'
import { warningJson, type RunWarningJson } from '../events/run-warning.ts'
import type { VertexNotes } from '../events/vertex-notes.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { FlowProblem } from '../flow/problems.ts'
import type { RunResult, VertexResult } from '../context/run-options.ts'
import { isMessage } from '../values/message.ts'
import {
  normalizeLineBreaks,
  fileJson,
  formatText,
  vertexParts,
  type BuildView,
} from '../events/vertex-data.ts'

/** The HTTP response of a run. */
export interface RunResponse {
  session_id: string
  outputs: RunOutputJson[]
  /** Differences between the run and the flow as shown; omitted if there are none. */
  warnings?: RunWarningJson[]
}

export interface RunOutputJson {
  inputs: { input_value?: string }
  outputs: ComponentOutputJson[]
}

export interface ComponentOutputJson {
  results: Record<string, unknown>
  artifacts: Record<string, unknown>
  outputs: Record<string, unknown>
  logs: Record<string, unknown>
  messages: ChatMessageJson[]
  timedelta: null
  duration: null
  component_display_name: string
  component_id: string
  used_frozen_result: boolean
}

export interface ChatMessageJson {
  message: string
  sender: string
  sender_name: string
  session_id: string
  stream_url: null
  component_id: string
  files: object[]
  type: 'text'
}

/** Formats the response of one run, or of several with one element each. */
export function formatRunResponse(results: RunResult | readonly RunResult[]): RunResponse {
  const list = Array.isArray(results) ? (results as readonly RunResult[]) : [results as RunResult]
  const warnings = list.flatMap((result) => result.warnings.filter(isShown).map(warningJson))
  return {
    session_id: list[0]?.sessionId ?? '',
    outputs: list.map((result) => {
      const notes = FinishedRun.notesOf(result)
      const value = notes?.inputValue
      return {
        inputs: value === undefined ? {} : { input_value: value },
        outputs: result.outputs.map((vertex) => componentOutput(vertex, notes)),
      }
    }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** Other warnings are not sent: recorded responses of such runs have no field for them. */
const isShown = ({ code }: FlowProblem): boolean =>
  code === 'edited_component' || code === 'file_left_out' || code === 'session_replaced'

function componentOutput(
  result: VertexResult,
  notes: ResultNotes | undefined,
): ComponentOutputJson {
  const index = notes?.graph.indexOf.get(result.id)
  const vertex = index === undefined ? undefined : notes?.graph.vertices[index]
  const view = buildView(result, vertex, notes?.vertices?.get(result.id))
  const response: ComponentOutputJson = Object.assign(vertexParts(view), {
    messages: view.showsResults ? chatMessages(result) : [],
    timedelta: null,
    duration: null,
    component_display_name: result.displayName,
    component_id: result.id,
    used_frozen_result: result.usedFrozenResult,
  })
  return notes?.secrets?.maskJson(response) ?? response
}

/** The wire representation of a result. */
export function buildView(
  result: VertexResult,
  vertex: PlanVertex | undefined,
  notes: VertexNotes | undefined,
): BuildView {
  const names = [result.type, result.id.split('-', 1)[0] ?? '']
  return {
    id: result.id,
    showsResults: names.some((name) => SHOWN.has(name)),
    isChat: names.some((name) => name === 'ChatInput' || name === 'ChatOutput'),
    offered: vertex?.outputs ?? Object.keys(result.outputs),
    outputs: result.outputs,
    logs: notes?.logs ?? new Map(),
    hasStatus: notes?.hasStatus ?? vertex === undefined,
    failure: result.error?.detail,
    durationMs: result.durationMs,
    usedFrozenResult: result.usedFrozenResult,
  }
}

const SHOWN: ReadonlySet<string> = new Set([
  'ChatInput',
  'ChatOutput',
  'TextInput',
  'TextOutput',
  'Webhook',
  'DataOutput',
])

function chatMessages({ outputs, id }: VertexResult): ChatMessageJson[] {
  return Object.values(outputs).flatMap((value) => {
    if (!isMessage(value)) return []
    const text = formatText(value)
    if (text === '') return []
    return [
      {
        // A message without a sender counts as the machine's.
        message: (value.sender ?? 'Machine') === 'Machine' ? normalizeLineBreaks(text) : text,
        sender: value.sender ?? 'Machine',
        sender_name: value.senderName ?? 'AI',
        session_id: value.sessionId,
        stream_url: null,
        component_id: id,
        files: value.files.map(fileJson),
        type: 'text' as const,
      },
    ]
  })
}
