/**
 * Lines are written together after this many milliseconds or characters, because a write costs more than
 * its line.
 */
const GATHER_MS = 10
const GATHER_LENGTH = 65_536

let waiting = ''
let timer: NodeJS.Timeout | undefined
let flushesAtExit = false

/** Writes a line to standard output, within 10 ms and before the process exits. */
export function printLine(line: string): void {
  if (!flushesAtExit) process.on('exit', flushLines)
  flushesAtExit = true
  waiting += `${line}\n`
  if (waiting.length >= GATHER_LENGTH) flushLines()
  else timer ??= setTimeout(flushLines, GATHER_MS).unref()
}

/** Writes all pending lines. */
export function flushLines(): void {
  clearTimeout(timer)
  timer = undefined
  if (waiting === '') return
  const lines = waiting
  waiting = ''
  process.stdout.write(lines)
}
