import type { RunEvent } from '../graph/events/run-event.ts'

/** All events of a run, or of any other source of them. */
export async function collectEvents(source: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of source) events.push(event)
  return events
}
