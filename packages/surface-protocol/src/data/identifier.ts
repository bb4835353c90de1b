/**
 * Returns whether a string is a Unicode identifier (UAX #31), as version 1.0 requires of names.
 */
export function isIdentifier(text: string): boolean {
  return /^[\p{XID_Start}_][\p{XID_Continue}]*$/u.test(text)
}
