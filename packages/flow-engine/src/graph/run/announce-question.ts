import type { RunContext } from '../context/run-context.ts'
import type { QuestionNotice } from '../context/run-host.ts'
import { OPEN_CARD, questionCard } from '../durable/question-card.ts'

/** Called when the run is idle: shows its question in the conversation, then in the log. */
export async function announceQuestion(
  run: RunContext,
  notice: QuestionNotice | undefined,
): Promise<void> {
  if (notice === undefined) return
  // A message service that fails must not prevent an answer.
  await run.messages.place(questionCard(notice, OPEN_CARD), false).catch(() => undefined)
  if (run.open()) run.send('suspended', () => notice.event)
}
