import { isObject } from '@x/wire'

/** A value that no file of a recording may hold. */
export interface Secret {
  /** What stands in its place: `<secret:NAME>`. */
  readonly name: string
  readonly value: string
}

/** Shorter values are part of too many words. */
const MIN_LENGTH = 4

const TOKENS: readonly (readonly [name: string, form: RegExp])[] = [
  ['private_key', /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?-----END [A-Z ]*PRIVATE KEY-----/g],
  ['jwt', /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g],
  ['sk', /\bsk-[\w-]{16,}/g],
  ['github', /\bgh[pousr]_[A-Za-z0-9]{20,}/g],
  ['aws', /\bAKIA[A-Z0-9]{16}\b/g],
  ['slack', /\bxox[abprs]-[\w-]{10,}/g],
  ['bearer', /(?<=\bBearer )[\w.~+/-]{8,}=*/g],
  ['password', /(?<=:\/\/[^\s:/@"]{1,100}:)[^\s:/@"]{1,200}(?=@)/g],
]

/** Replaces secrets in every text of a JSON value, also escaped, encoded for addresses, or in Base64. */
export function createRedactor(
  secrets: readonly Secret[],
  patterns: readonly RegExp[] = [],
): (value: unknown) => unknown {
  const forms = formsOf(secrets)
  const redactText = (given: string): string => {
    let text = given
    for (const { form, name } of forms) text = text.replaceAll(form, `<secret:${name}>`)
    for (const [name, form] of TOKENS) text = text.replaceAll(form, `<secret:${name}>`)
    for (const pattern of patterns) text = text.replaceAll(everywhere(pattern), '<secret:redacted>')
    return text
  }
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value)
    if (Array.isArray(value)) return value.map(redact)
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, item]) => [redactText(key), redact(item)])
    return Object.fromEntries(entries) as unknown
  }
  return redact
}

/** The secret that a text still holds; undefined if it holds none. */
export function leakedSecret(text: string, secrets: readonly Secret[]): string | undefined {
  return formsOf(secrets).find(({ form }) => text.includes(form))?.name
}

function formsOf(secrets: readonly Secret[]): { readonly name: string; readonly form: string }[] {
  return secrets
    .filter(({ value }) => value.length >= MIN_LENGTH)
    .flatMap(({ name, value }) => {
      const base64 = Buffer.from(value, 'utf8').toString('base64')
      const forms = [
        value,
        JSON.stringify(value).slice(1, -1),
        encodeURIComponent(value),
        base64,
        base64.replace(/=+$/, ''),
      ]
      return [...new Set(forms)].map((form) => ({ name, form }))
    })
    .toSorted((a, b) => b.form.length - a.form.length)
}

function everywhere(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
}
