import { processorMs } from '../../src/index.ts'

/** What one run of a component cost, and how it ended. */
export interface Outcome {
  readonly value?: unknown
  readonly error?: unknown
  /** Milliseconds of processor time. */
  readonly cpu: number
  /** The longest time that the event loop had no turn, in milliseconds of processor time. */
  readonly step: number
  /** Bytes by which the heap grew at most, looked at in each turn. */
  readonly heap: number
}

/** Runs work beside a heartbeat of the event loop. */
export async function measure(work: () => Promise<unknown>): Promise<Outcome> {
  const heapBefore = process.memoryUsage().heapUsed
  let [step, heap, isOver] = [0, 0, false]
  const begin = processorMs()
  let last = begin
  const beat = (): void => {
    const now = processorMs()
    step = Math.max(step, now - last)
    heap = Math.max(heap, process.memoryUsage().heapUsed - heapBefore)
    last = processorMs()
    if (!isOver) setImmediate(beat)
  }
  setImmediate(beat)
  let ended: { value: unknown } | { error: unknown }
  try {
    ended = { value: await work() }
  } catch (error) {
    ended = { error }
  }
  isOver = true
  const cpu = processorMs() - begin
  await new Promise((resolve) => setImmediate(resolve))
  return { ...ended, cpu, step, heap }
}

/** Characters and values in a value, counted once for each object; `most` ends the count. */
export function sizeOf(value: unknown, most = 200_000_000): number {
  const seen = new Set<object>()
  const stack: unknown[] = [value]
  let size = 0
  while (stack.length > 0 && size < most) {
    const item = stack.pop()
    size += typeof item === 'string' ? item.length : 1
    if (typeof item !== 'object' || item === null || seen.has(item)) continue
    seen.add(item)
    if (ArrayBuffer.isView(item)) size += item.byteLength
    else for (const name in item) stack.push((item as Record<string, unknown>)[name])
  }
  return size
}
