import { surfaceMessages, type TurnItem, type TurnState } from '../parts/turn-state.ts'
import { approvalOf, descriptorOf, nobody, questionInput, sourceChunk } from './chunks.ts'
import type { FileLinks } from '../files/file-links.ts'
import type { FlowMessagePart } from './flow-ui-message.ts'

export interface UiPartsOptions {
  readonly files: FileLinks
  readonly reasoning: boolean
}

/** The parts of a message as a client holds them after the stream. */
export function uiParts(state: TurnState, { files, reasoning }: UiPartsOptions): FlowMessagePart[] {
  const parts: FlowMessagePart[] = [{ type: 'step-start' }]
  for (const item of state.items) {
    switch (item.kind) {
      case 'text':
        parts.push({ type: 'text', text: item.text, state: stateOf(item) })
        break
      case 'reasoning':
        if (reasoning)
          parts.push({ type: 'reasoning', id: item.id, text: item.text, state: stateOf(item) })
        break
      case 'call':
        parts.push(callPart(state, item))
        break
      case 'question':
        if (item.callId !== undefined) break
        parts.push(askPart(item))
        if (item.end !== undefined) parts.push({ type: 'step-start' })
        break
      case 'block':
        parts.push({ type: 'data-block', id: item.id, data: files.block(item.block) })
        break
      case 'surface':
        parts.push({ type: 'data-a2ui', id: item.id, data: { messages: surfaceMessages(item) } })
        break
      case 'file':
        parts.push({ type: 'file', ...files.link(item.path) })
        break
      case 'source':
        parts.push(sourceChunk(item))
        break
    }
  }
  return parts
}

type Question = Extract<TurnItem, { kind: 'question' }>

function stateOf({ open }: { readonly open: boolean }): 'streaming' | 'done' {
  return open ? 'streaming' : 'done'
}

function askPart({ question, end }: Question): FlowMessagePart {
  const part = {
    type: 'tool-ask_person',
    toolCallId: question.request_id,
    input: questionInput(question),
  }
  if (end === undefined) return { ...part, state: 'input-available' }
  return 'expired' in end
    ? { ...part, state: 'output-error', errorText: nobody(end.expired) }
    : { ...part, state: 'output-available', output: end.decision }
}

function callPart(state: TurnState, call: Extract<TurnItem, { kind: 'call' }>): FlowMessagePart {
  const { id, name, input, outcome, edited } = call
  const asked = state.items.findLast(
    (item): item is Question => item.kind === 'question' && item.callId === id,
  )
  const part = {
    type: 'dynamic-tool',
    toolName: name,
    toolCallId: id,
    input,
    providerExecuted: true,
    ...(asked === undefined ? {} : { approval: approvalPart(asked) }),
  }
  if (outcome === undefined) return { ...part, state: edited ? 'input-available' : waiting(asked) }
  if ('output' in outcome) return { ...part, state: 'output-available', output: outcome.output }
  if ('error' in outcome) return { ...part, state: 'output-error', errorText: outcome.error }
  return { ...part, state: 'output-denied' }
}

function waiting(asked: Question | undefined): string {
  if (asked === undefined) return 'input-available'
  return asked.end === undefined ? 'approval-requested' : 'approval-responded'
}

function approvalPart({ question, end }: Question): Record<string, unknown> {
  const { request_id: id, prompt } = question
  return {
    id,
    descriptor: descriptorOf(question),
    ...(prompt === null ? {} : { requestReason: prompt }),
    ...(end === undefined || 'expired' in end ? {} : approvalOf(end.decision)),
  }
}
