/** The names of several `Vary` headers in one, without duplicates; `*` means all (RFC 9110, 12.5.5). */
export function joinedVary(values: readonly string[]): string {
  const names = new Map<string, string>()
  for (const name of values.flatMap((value) => value.split(','))) {
    const plain = name.trim()
    if (plain !== '' && !names.has(plain.toLowerCase())) names.set(plain.toLowerCase(), plain)
  }
  return names.has('*') ? '*' : [...names.values()].join(', ')
}
