import { parseAddress } from './file-address.ts'

/** The file addresses in a stored graph: the files its author selected. */
export function addressesIn(data: string | null): ReadonlySet<string> {
  const found = new Set<string>()
  const stack: unknown[] = [data === null ? null : (JSON.parse(data) as unknown)]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value === 'string') {
      if (parseAddress(value) !== null) found.add(value)
    } else if (typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) stack.push(part)
    }
  }
  return found
}
