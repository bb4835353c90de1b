import type { Runtime } from '@x/wire'
import type { MessageService } from '../components/define/services.ts'
import { questionCard } from '../graph/durable/question-card.ts'
import { createSecrets } from '../graph/events/secrets.ts'
import { createMessageLog } from '../graph/messages/message-log.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import type { StoredJob } from '../store/job-store.ts'
import { noticeOf, type StoredQuestion } from './stored-question.ts'

export interface CardOptions {
  readonly question: StoredQuestion | undefined
  readonly messages: MessageService | undefined
  readonly runtime: Runtime
  readonly limits: RunLimits
}

/**
 * Marks the question of a cancelled job as superseded in the conversation.
 * @returns the corresponding events for the job's log; empty if the question was not shown
 */
export async function supersedeCard(
  { id, flowId }: Pick<StoredJob, 'id' | 'flowId'>,
  { question, messages: service, runtime, limits }: CardOptions,
): Promise<{ event: string; data: string }[]> {
  const notice = question === undefined ? undefined : noticeOf(id, question)
  if (notice === undefined || service === undefined) return []
  const events: { event: string; data: string }[] = []
  const messages = createMessageLog({
    service,
    send: (event, make) => events.push({ event, data: JSON.stringify(make()) }),
    runtime,
    secrets: createSecrets(),
    limits,
    flowId,
    sessionId: notice.sessionId,
    open: () => true,
  })
  const card = questionCard(notice, { submittedAction: null, superseded: true })
  // The conversation may have been removed with its flow.
  await messages.place(card, true).catch(() => undefined)
  return events
}
