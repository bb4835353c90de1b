import { call } from './api.ts'
import { attempt, byId, make } from './elements.ts'

/** A message as returned by the monitor API. */
export interface StoredMessage {
  readonly id: string
  readonly sender: string
  readonly text: string
  readonly files?: readonly string[]
  readonly category?: string
}

let started = ''

/** The session of the chosen conversation. */
export const chosenSession = (): string => byId('session', HTMLSelectElement).value

/** Calls `show` with the messages of the chosen conversation; none for a new one. */
export function onConversation(
  flowId: () => string,
  show: (messages: StoredMessage[]) => void,
): void {
  const select = byId('session', HTMLSelectElement)
  select.addEventListener('change', () =>
    attempt(async () => {
      if (select.value === started) return show([])
      const query = new URLSearchParams({ flow_id: flowId(), session_id: select.value })
      show((await (await call(`/monitor/messages?${query}`)).json()) as StoredMessage[])
    }),
  )
}

/** Lists a new conversation and the earlier ones of the flow. */
export async function listConversations(flowId: string): Promise<void> {
  const query = new URLSearchParams({ flow_id: flowId })
  const known = (await (await call(`/monitor/messages/sessions?${query}`)).json()) as string[]
  started = `console ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`
  byId('session', HTMLSelectElement).replaceChildren(
    make('option', 'New conversation', { value: started }),
    ...known.map((session) => make('option', session, { value: session })),
  )
}
