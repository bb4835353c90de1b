import type { RunEvent } from '../graph/events/run-event.ts'

/** Collects all events of a run or another source. */
export async function collectEvents(source: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of source) events.push(event)
  return events
}
