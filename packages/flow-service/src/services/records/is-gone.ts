/**
 * Tells whether the owner of something just stored has been deleted meanwhile. If the lookup fails, the owner
 * counts as present and the error is reported: the change is already committed.
 */
export async function isGone(
  { report }: { readonly report: (error: unknown) => void },
  lookUp: () => Promise<unknown>,
): Promise<boolean> {
  try {
    return (await lookUp()) === null
  } catch (error) {
    report(error)
    return false
  }
}
