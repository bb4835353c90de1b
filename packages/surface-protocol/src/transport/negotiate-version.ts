import { versionNumber, type Version } from '../data/version.ts'

/**
 * The version requested by a client and served by the channel: by the header `A2UI-Version`, then
 * the query parameter `a2uiVersion`, in the client's order. The channel's first version without either;
 * null if there is no common one. 0.9 and 0.9.1 are one family.
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
