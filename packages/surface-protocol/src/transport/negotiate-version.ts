import { versionNumber, type Version } from '../data/version.ts'

/**
 * The version that a client asks for and the channel serves (SN-53): by the header `A2UI-Version`, then
 * by the query `a2uiVersion`, in the order of the client. Without either the first one of the channel,
 * null when they have none in common. 0.9 and 0.9.1 are one family.
 */
export function negotiateVersionOf(request: Request, served: readonly Version[]): Version | null {
  const query = new URL(request.url).searchParams.get('a2uiVersion')
  const asked = request.headers.get('a2ui-version') ?? query
  if (asked === null || asked.trim() === '') return served[0] ?? null
  for (const one of asked.split(',')) {
    const name = one.trim().replace(/^v/i, '')
    const found =
      served.find((version) => versionNumber(version) === name) ??
      served.find((version) => versionNumber(version).startsWith('0.9') && name.startsWith('0.9'))
    if (found !== undefined) return found
  }
  return null
}
