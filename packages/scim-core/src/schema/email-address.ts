import { nameProblem } from '@x/wire'

const ATOM = /^[\w!#$%&'*+\-/=?^`{|}~\p{L}\p{M}\p{N}]+$/u
const LABEL = /^(?!-)[\p{L}\p{M}\p{N}_-]+(?<!-)$/u
/** A name as Entra changes it for a deleted person: the object's id, then the name. */
const SOFT_DELETED = /^[\da-f]{32}[^@]+@/i
const ID_LENGTH = 32

/**
 * Returns whether a string is an e-mail address: `local@domain` with one `@`, at most 254 characters; dots
 * only between atoms and labels, and a domain of at least two labels, or `localhost`. Quoted local parts and
 * address literals are not accepted, nor are look-alike and invisible characters.
 */
export function isEmailAddress(text: string): boolean {
  return emailProblem(text) === null && nameProblem(text) === null
}

/** Returns whether a userName has the form that Entra gives to a deleted person. */
export function isSoftDeletedName(text: string): boolean {
  return SOFT_DELETED.test(text)
}

/** The reason why a string is no e-mail address; null if it is one. */
export function emailProblem(text: string): string | null {
  const extra = isSoftDeletedName(text) ? ID_LENGTH : 0
  const longest = 254 + extra
  // UTF-16 units first, so that a huge text is not walked.
  if (text.length > 2 * longest) return 'the domain or the part before @ is too long'
  const at = text.indexOf('@')
  if (at === -1 || at !== text.lastIndexOf('@')) return 'one @ is needed'
  const local = text.slice(0, at)
  if (lengthOf(local) > 64 + extra) return 'the part before @ is too long'
  if (!local.split('.').every((atom) => ATOM.test(atom))) {
    return 'the part before @ is not a name of letters, digits and single dots'
  }
  const domain = text.slice(at + 1)
  if (lengthOf(text) > longest) return 'the domain is too long'
  return domain.toLowerCase() === 'localhost' ? null : domainProblem(domain)
}

function domainProblem(domain: string): string | null {
  if (lengthOf(domain) > 253) return 'the domain is too long'
  const labels = domain.split('.')
  if (labels.length < 2) return 'the domain needs a dot'
  const isFormed = labels.every((label) => lengthOf(label) <= 63 && LABEL.test(label))
  if (!isFormed) return 'the domain is not a list of labels with single dots'
  const last = labels.at(-1) ?? ''
  if (last.includes('_') || /^\p{N}+$/u.test(last)) return 'the domain has no valid last label'
  return null
}

function lengthOf(text: string): number {
  return Array.from(text).length
}
