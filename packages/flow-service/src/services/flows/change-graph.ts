import { eventLoopTurn } from '@x/wire'
import { finish, finishCooperatively, type CooperativeWork } from '@x/wire'

/** Longer graphs are read and changed over several turns of the event loop. In characters. */
const LARGE = 256 * 1024

/** Yields to the event loop between two steps with a large graph. */
export async function yieldIfLarge(data: string | null): Promise<void> {
  if (data !== null && data.length > LARGE) await eventLoopTurn()
}

/** Parses a stored graph; a large one in a turn of the event loop of its own. */
export async function parseGraph(data: string): Promise<unknown> {
  await yieldIfLarge(data)
  const graph: unknown = JSON.parse(data)
  await yieldIfLarge(data)
  return graph
}

/**
 * A stored graph that is parsed, changed in steps and written again; null without one.
 * @param change undefined if nothing has changed: the text stays as it was
 */
export async function changeGraph(
  data: string | null,
  change: (graph: unknown) => CooperativeWork<unknown>,
): Promise<string | null> {
  if (data === null) return null
  const work = change(await parseGraph(data))
  if (data.length <= LARGE) return written(finish(work), data)
  const changed = await finishCooperatively(work)
  await eventLoopTurn()
  return written(changed, data)
}

function written(graph: unknown, before: string): string {
  return graph === undefined ? before : JSON.stringify(graph)
}
