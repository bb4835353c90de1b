const LABEL = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u
const FORBIDDEN = /[\s\p{Cc}]/u

/**
 * Returns whether a string is an e-mail address (SC-80): one `@`, a local part of 1 to 64 characters, a
 * domain of at most 255, with a dot unless it is `localhost`.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > 320 || FORBIDDEN.test(text)) return false
  const at = text.indexOf('@')
  if (at < 1 || at > 64 || at !== text.lastIndexOf('@')) return false
  const domain = text.slice(at + 1)
  if (domain.toLowerCase() === 'localhost') return true
  const labels = domain.split('.')
  return domain.length <= 255 && labels.length > 1 && labels.every((label) => LABEL.test(label))
}
