/** Runs work and counts the turns of the event loop meanwhile: how often other work could run. */
export async function turnsDuring<T>(
  work: () => Promise<T>,
): Promise<{ readonly turns: number; readonly result: T }> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  try {
    const result = await work()
    return { turns, result }
  } finally {
    isOver = true
  }
}
