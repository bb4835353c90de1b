import {
  AbstractChat,
  DefaultChatTransport,
  type ChatInit,
  type ChatState,
  type UIMessage,
} from 'ai'
import type { FlowJson } from '@x/flow-engine'
import { createScriptedModel, type ScriptedReply } from '@x/flow-engine/testing'
import { createChatHandler, type DoorOptions } from '../src/ai-sdk.ts'
import { serve } from '@x/test-kit'
import { components } from './flows.ts'

/** The AI SDK's chat without a framework: its messages in an array. */
class PlainState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready'
  error: Error | undefined = undefined
  messages: UIMessage[]

  constructor(messages: UIMessage[]) {
    this.messages = messages
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message]
  }

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1)
  }

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message))
  }

  snapshot = <T>(value: T): T => structuredClone(value)
}

export class PlainChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: new PlainState(messages) })
  }
}

const open: (() => Promise<void>)[] = []

export async function closeAll(): Promise<void> {
  for (const close of open.splice(0)) await close()
}

export interface Served {
  readonly url: string
  readonly model: ReturnType<typeof createScriptedModel>
  readonly chat: (init?: ChatInit<UIMessage>) => PlainChat
  readonly history: (
    chatId: string,
  ) => Promise<{ readonly messages: UIMessage[]; readonly running: boolean }>
  readonly close: () => Promise<void>
}

/** A flow behind `createChatHandler`, over a socket. */
export async function serveChat(
  flow: FlowJson,
  script: Parameters<typeof createScriptedModel>[0] | readonly ScriptedReply[] = [],
  options: Partial<DoorOptions> & { readonly headers?: Record<string, string> } = {},
): Promise<Served> {
  const { headers = {}, ...more } = options
  const model = createScriptedModel(script)
  const handler = createChatHandler({
    flow,
    components,
    auth: () => ({ userId: 'ada' }),
    models: model,
    onError: (error) => {
      throw error
    },
    ...more,
  })
  const server = await serve(handler)
  const close = async (): Promise<void> => {
    await handler.close()
    await server.close()
  }
  open.push(close)
  const api = `${server.url}/api/chat`
  return {
    url: api,
    model,
    chat: (init = {}) =>
      new PlainChat({
        transport: new DefaultChatTransport({ api, headers }),
        onError: () => undefined,
        ...init,
      }),
    history: async (chatId) =>
      (await (await fetch(`${api}/${chatId}`, { headers })).json()) as Awaited<
        ReturnType<Served['history']>
      >,
    close,
  }
}

/** Messages as JSON has them: without members whose value is undefined. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
