import { isIP } from 'node:net'

/** Required format of a string, or of each item of a list. */
export interface Form {
  /** Completes `NAME must be ...`. */
  readonly accepted: string
  readonly has: (text: string) => boolean
}

/** URL of a page or service. */
export const webAddress: Form = {
  accepted: 'an http or https URL',
  has: (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
}

/** An origin of pages, or `*`. */
export const origin: Form = {
  accepted: 'origins such as https://app.example, or *',
  has: (text) => text === '*' || (webAddress.has(text) && new URL(text).pathname === '/'),
}

const ROLES = ['all', 'web', 'worker']

/** What a process of several does. */
export const role: Form = { accepted: 'all, web or worker', has: (text) => ROLES.includes(text) }

/** An address, or a range of addresses. */
export const addressRange: Form = { accepted: 'addresses or CIDR ranges', has: isRange }

const ADOPTION = new Map([
  ...['username', 'true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['off', 'false', '0', 'no'].map((word) => [word, false] as const),
])

/** Whether a directory takes over existing users, as `userName` or `off`, or the word of a switch. */
export const adoption: Form = {
  accepted: 'off or userName',
  has: (text) => ADOPTION.has(text.toLowerCase()),
}

/** Returns whether a directory takes over existing users of the same userName. Default no. */
export function isAdopting(text: string | undefined): boolean {
  return ADOPTION.get(text?.trim().toLowerCase() ?? '') ?? false
}

/** A host name, an address, or a range of addresses. */
export const hostOrRange: Form = {
  accepted: 'host names, addresses or CIDR ranges',
  has: (text) => isRange(text) || /^[\w*.-]+(?::\d+)?$|^\[[\da-f:]+\](?::\d+)?$/i.test(text),
}

function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  )
}
