/**
 * Runs the steps that follow a committed change, in order. Failures are reported but not thrown, because the
 * change is already made; later steps still run.
 */
export async function afterCommit(
  { report }: { readonly report: (error: unknown) => void },
  steps: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (const step of steps) await step().catch((error: unknown) => report(error))
}
