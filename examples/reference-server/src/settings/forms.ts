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

/** An address, or a range of addresses. */
export const addressRange: Form = { accepted: 'addresses or CIDR ranges', has: isRange }

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
