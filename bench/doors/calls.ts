import { randomUUID } from 'node:crypto'
import type { LoadRequest } from '../lib/load.ts'

/** A way to call a flow, with what it may cost beside the run that answers in the same way. */
export interface DoorCall {
  readonly name: string
  readonly limit: { readonly echo: number; readonly stream: number }
  readonly request: (call: { readonly flowId: string; readonly text: string }) => LoadRequest
}

const post = (path: string, body: object): LoadRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  body: JSON.stringify(body),
})

/** The run that a door is compared with. */
export const RUN = {
  echo: ({ flowId, text }: { flowId: string; text: string }) =>
    post(`/api/v1/run/${flowId}`, { input_value: text }),
  stream: ({ flowId, text }: { flowId: string; text: string }) =>
    post(`/api/v1/run/${flowId}?stream=true`, { input_value: text }),
} as const

export const DOORS: readonly DoorCall[] = [
  {
    name: 'AI SDK turn',
    limit: { echo: 1.2, stream: 1.2 },
    request: ({ flowId, text }) =>
      post(`/api/ai/v1/chat/${flowId}`, {
        id: randomUUID(),
        messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] }],
      }),
  },
  {
    name: 'AG-UI run',
    limit: { echo: 1.25, stream: 1.25 },
    request: ({ flowId, text }) =>
      post(`/api/ag-ui/v1/${flowId}`, {
        threadId: randomUUID(),
        runId: randomUUID(),
        messages: [{ id: randomUUID(), role: 'user', content: text }],
        tools: [],
        context: [],
      }),
  },
  {
    name: 'A2A SendMessage',
    limit: { echo: 1.35, stream: 1.35 },
    request: ({ flowId, text }) =>
      post(`/api/a2a/v1/${flowId}`, {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } },
      }),
  },
]
