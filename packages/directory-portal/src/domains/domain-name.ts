const LABEL = /^[\da-z](?:[\da-z-]{0,61}[\da-z])?$/

/** A domain in its one form: lower case, IDNA, at least one dot; null for anything else. */
export function domainName(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 253 || /[\s/:*@?#\\%[\]]/.test(value)) return null
  if (!URL.canParse(`http://${value}`)) return null
  const { hostname } = new URL(`http://${value}`)
  const labels = hostname.split('.')
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label))
  // An address ends with a number; no domain does.
  return isDomain && hostname.length <= 253 && !/^\d+$/.test(labels.at(-1) ?? '') ? hostname : null
}

/** The domain of an e-mail address; null if it is none. */
export function domainOfEmail(email: string): string | null {
  const at = email.lastIndexOf('@')
  return at < 1 ? null : domainName(email.slice(at + 1))
}
