import type { RunContext } from '../context/run-context.ts'
import type { RunHost } from '../context/run-host.ts'

/**
 * Begins once the messages that an earlier run of the job left unfinished are withdrawn. A message service
 * that fails is reported and prevents nothing.
 */
export function afterRetraction(
  run: Pick<RunContext, 'messages' | 'open'>,
  { resume, report }: Pick<RunHost, 'resume' | 'report'>,
  begin: () => void,
): void {
  const { unfinished = [] } = resume ?? {}
  if (unfinished.length === 0) return begin()
  const beginIfOpen = (): void => {
    if (run.open()) begin()
  }
  run.messages.retract(unfinished).then(beginIfOpen, (error: unknown) => {
    report?.(error)
    beginIfOpen()
  })
}
