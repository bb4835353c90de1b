export const VERDICTS = [
  'ran whole',
  'refused by name',
  'needs a key',
  'needs a file or service',
  'took too long',
  'damaged file',
  'failed unnamed',
] as const

export type Verdict = (typeof VERDICTS)[number]

/** What happened to one file, in the order of the steps; a step that was not reached is absent. */
export interface Trial {
  readonly imported: { readonly status: number; readonly detail: string }
  /** Errors that the check names before anything runs. */
  readonly problems?: readonly string[]
  /** What the check warns of. */
  readonly warnings?: readonly string[]
  /** The run was stopped after the time for one file. */
  readonly isLate?: boolean
  readonly run?: { readonly status: number; readonly detail: string }
  /** What differs from the reference engine, or why that cannot run the flow. */
  readonly apart?: readonly string[] | string | undefined
}

/** `failed unnamed`: it failed at run time although the check had named no error. */
export function judge({ imported, problems = [], warnings = [], isLate, run }: Trial): Verdict {
  if (imported.status !== 201) return 'damaged file'
  if (problems.length > 0) return 'refused by name'
  if (run?.status === 200) return 'ran whole'
  if (isLate === true) return 'took too long'
  const detail = run?.detail ?? ''
  const isNamed = (warning: string): boolean =>
    detail.includes(JSON.stringify(warning).slice(1, -1))
  // A warning names the component and the reason: `Component Chat: A model selection is required`.
  if (warnings.some((warning) => warning.split(/^Component (.*?): /).every(isNamed)))
    return 'refused by name'
  if (/API key|needs .* Give it|variable not found|credential/i.test(detail)) return 'needs a key'
  if (
    /Flow '.*' not found|file|connect|address|knowledge base|collection|not allowed|are off|URL|database|server/i.test(
      detail,
    )
  )
    return 'needs a file or service'
  return 'failed unnamed'
}
