import { isObject } from '@x/wire'
import type { Matcher } from './cycle.ts'
import { valueAt } from './variables.ts'

/** Why a body is not as expected; null if it is. */
export function mismatch(matcher: Matcher, body: unknown): string | null {
  if (!isObject(body)) return 'the body is not a JSON object'
  if (
    matcher.equals !== undefined &&
    !(contains(body, matcher.equals) && contains(matcher.equals, body))
  )
    return `expected ${shown(matcher.equals)}`
  if (matcher.contains !== undefined) {
    const place = missing(body, matcher.contains, '')
    if (place !== null) return place
  }
  if (matcher.lacks !== undefined && contains(body, matcher.lacks))
    return `expected nothing like ${shown(matcher.lacks)}`
  const present = matcher.absent?.find((name) => Object.hasOwn(body, name))
  if (present !== undefined) return `expected no ${present}`
  for (const [pointer, [least, greatest]] of Object.entries(matcher.between ?? {})) {
    const value = valueAt(body, pointer)
    if (!(typeof value === 'number' && value >= least && value <= greatest))
      return `${pointer}: expected a number from ${least} to ${greatest}, but it is ${shown(value)}`
  }
  const listed = matcher.attributes === undefined ? null : namesIn(body)
  const lost = matcher.attributes?.filter((name) => listed?.has(name.toLowerCase()) === false) ?? []
  return lost.length === 0 ? null : `expected the schemas to list ${lost.join(', ')}`
}

/** The attributes of the schemas of a list, flattened and in lower case, with and without their URN. */
function namesIn({ Resources: schemas }: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const names = new Set<string>()
  for (const schema of objectsOf(schemas))
    for (const attribute of objectsOf(schema['attributes']))
      for (const sub of [undefined, ...objectsOf(attribute['subAttributes'])]) {
        const name = [attribute['name'], ...(sub === undefined ? [] : [sub['name']])].join('.')
        for (const form of [name, `${String(schema['id'])}:${name}`]) names.add(form.toLowerCase())
      }
  return names
}

function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : []
}

function contains(value: unknown, part: unknown): boolean {
  return missing(value, part, '') === null
}

/** The first place where a value does not contain a part. */
function missing(value: unknown, part: unknown, place: string): string | null {
  if (Array.isArray(part)) {
    if (!Array.isArray(value)) return wrong(place, part, value)
    if (part.length === 0 && value.length > 0) return wrong(place, part, value)
    const lost = part.find((element) => !value.some((one) => contains(one, element)))
    return lost === undefined ? null : wrong(place, [lost], value)
  }
  if (isObject(part)) {
    if (!isObject(value)) return wrong(place, part, value)
    for (const [name, inner] of Object.entries(part)) {
      const found = missing(value[name], inner, `${place}/${name}`)
      if (found !== null) return found
    }
    return null
  }
  return Object.is(value, part) ? null : wrong(place, part, value)
}

function wrong(place: string, part: unknown, value: unknown): string {
  return `${place === '' ? 'the body' : place}: expected ${shown(part)}, but it is ${shown(value)}`
}

const SHOWN = 300

/** JSON of a value, cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text
}
