import { eventLoopTurn } from './event-loop-turn.ts'

const waiting: (() => void)[] = []
let isRunning = false

/**
 * Like `eventLoopTurn`, but each caller continues in a turn of its own: of many requests that work in steps,
 * one takes its step before others of the process have their turn.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (!isRunning) void run()
  })
}

async function run(): Promise<void> {
  isRunning = true
  while (waiting.length > 0) {
    await eventLoopTurn()
    waiting.shift()?.()
  }
  isRunning = false
}
