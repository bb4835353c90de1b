import type { ServiceKit } from './kit.ts'

/**
 * Makes the steps that follow a committed change, in order. What fails is reported: the change is made, so
 * the caller is not told otherwise, and later steps are made all the same.
 */
export async function afterCommit(
  { report }: Pick<ServiceKit, 'report'>,
  steps: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (const step of steps) await step().catch((error: unknown) => report(error))
}
