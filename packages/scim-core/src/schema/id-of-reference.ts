/** The id in a reference to a user, or to a resource of another endpoint; undefined if it names none. */
export function idOfReference(reference: unknown, endpoint = 'Users'): string | undefined {
  if (typeof reference !== 'string') return undefined
  const [, found, id] = /(?:^|\/)(\w+)\/([^/?#]+)$/.exec(reference) ?? []
  if (id === undefined || found !== endpoint) return undefined
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
