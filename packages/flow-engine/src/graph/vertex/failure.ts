import { errorText, FlowError, isFlowError, type FlowErrorCode } from '../../errors.ts'
import { maskedCause } from '../events/masked-cause.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { ErrorMessageJson } from '../events/run-event.ts'
import { createMessage, type Message } from '../values/message.ts'

/** Codes whose texts say all, without the component. */
const OWN_TEXTS: ReadonlySet<FlowErrorCode> = new Set([
  'timeout',
  'cancelled',
  'budget_exceeded',
  'missing_package',
])

/** Wraps a component's error as the failure of its vertex and returns the text. */
export function vertexFailure(
  thrown: unknown,
  { id, displayName }: Pick<PlanVertex, 'id' | 'displayName'>,
  mask: (text: string) => string,
): { readonly error: FlowError; readonly reason: string } {
  const code = isFlowError(thrown) ? thrown.code : 'component_failed'
  const reason = mask(shortened(errorText(thrown)))
  const own = isFlowError(thrown) && OWN_TEXTS.has(code)
  const detail = own ? reason : `Error building Component ${displayName}: \n\n${reason}`
  const error = new FlowError(code, detail, {
    cause: maskedCause(thrown, mask),
    vertexId: id,
    displayName,
    ...(isFlowError(thrown) && thrown.details !== undefined ? { details: thrown.details } : {}),
    // That of a budget tells whose it is.
    ...(isFlowError(thrown) && code === 'budget_exceeded' ? { status: thrown.status } : {}),
  })
  return { error, reason }
}

/** The error of a run that ends because of a fault in the engine or in the host's runtime. */
export function engineFailure(cause: unknown): FlowError {
  return new FlowError('internal', 'The run failed', { cause })
}

/** Maximum characters of an error's text, which may quote the names of all columns of a table. */
const MAX_CHARACTERS = 10_000

function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  return `${text.slice(0, MAX_CHARACTERS)}... (${text.length - MAX_CHARACTERS} more characters)`
}

/** The message that reports a failed component. */
export function failureMessage(
  reason: string,
  vertex: Pick<PlanVertex, 'id' | 'displayName'> | undefined,
): Message {
  const name = vertex?.displayName ?? null
  return createMessage({
    text: `${reason}\n`,
    sender: name,
    senderName: name,
    error: true,
    category: 'error',
    properties: {
      text_color: 'red',
      background_color: 'red',
      icon: 'error',
      source: { id: vertex?.id ?? null, display_name: name, source: name },
    },
    contentBlocks: [errorBlock(reason, name)],
  })
}

/** The same for a failure before the first vertex: not stored, so it has no id. */
export function startFailureJson(
  reason: string,
  flowId: string | null,
  now: Date,
): ErrorMessageJson {
  return {
    flow_id: flowId,
    timestamp: `${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    sender: null,
    sender_name: null,
    session_id: null,
    context_id: null,
    text: `${reason}\n`,
    files: [],
    error: true,
    edit: false,
    category: 'error',
    properties: failureMessage(reason, undefined).properties,
    content_blocks: [errorBlock(reason, null)],
    duration: null,
  }
}

function errorBlock(reason: string, component: string | null): object {
  const entry = {
    type: 'error',
    duration: null,
    header: {},
    component,
    field: null,
    reason,
    solution: null,
    traceback: null,
  }
  return { title: 'Error', contents: [entry], allow_markdown: true, media_url: null }
}
