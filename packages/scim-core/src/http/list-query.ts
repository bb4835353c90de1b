import { invalidSyntax, invalidValue, ScimError } from '../base/errors.ts'
import type { ScimLimits } from '../base/limits.ts'
import { memberOf } from '../base/member-of.ts'
import type { ProjectionRequest } from '../resource/project.ts'
import type { ListRequest } from '../rules/list-request.ts'
import { readUrns } from '../schema/read-resource.ts'

/** URN of search bodies. */
export const SEARCH_URN = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

type Parameters = ReadonlyMap<string, readonly string[]>

/** Parses query parameters; unknown names are ignored. @throws ScimError invalid_value */
export function readListParameters(parameters: Parameters, limits: ScimLimits): ListRequest {
  const text = (name: string): string | undefined => parameters.get(name)?.[0]
  return complete(
    {
      filter: text('filter'),
      sortBy: text('sortBy'),
      sortOrder: text('sortOrder'),
      startIndex: readInteger('startIndex', text('startIndex')),
      count: readInteger('count', text('count')),
      cursor: text('cursor'),
    },
    readProjection(parameters, limits),
  )
}

/** Parses the body of a search. @throws ScimError invalid_syntax, invalid_value */
export function readSearchBody(
  body: Readonly<Record<string, unknown>>,
  limits: ScimLimits,
): ListRequest {
  const schemas = memberOf(body, 'schemas')
  if (schemas === undefined || !readUrns(schemas).includes(SEARCH_URN.toLowerCase())) {
    throw invalidSyntax(`The attribute schemas must contain ${SEARCH_URN}.`)
  }
  return readListMembers(body, limits)
}

/** Parses the list parameters in an object. @throws ScimError invalid_value */
export function readListMembers(
  body: Readonly<Record<string, unknown>>,
  limits: ScimLimits,
): ListRequest {
  const text = (name: string): string | undefined => {
    const value = memberOf(body, name)
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string') throw invalidValue(`${name} must be a string.`)
    return value
  }
  const integer = (name: string): number | undefined => {
    const value = memberOf(body, name)
    if (value === undefined || value === null) return undefined
    if (!Number.isSafeInteger(value)) throw invalidValue(`${name} must be an integer.`)
    return Number(value)
  }
  return complete(
    {
      filter: text('filter'),
      sortBy: text('sortBy'),
      sortOrder: text('sortOrder'),
      startIndex: integer('startIndex'),
      count: integer('count'),
      cursor: text('cursor'),
    },
    checkProjection(
      {
        attributes: readNames(memberOf(body, 'attributes'), 'attributes'),
        excludedAttributes: readNames(memberOf(body, 'excludedAttributes'), 'excludedAttributes'),
      },
      limits,
    ),
  )
}

/** `attributes` and `excludedAttributes` of a query. @throws ScimError invalid_value */
export function readProjection(parameters: Parameters, limits: ScimLimits): ProjectionRequest {
  const attributes = parameters.get('attributes')
  const excludedAttributes = parameters.get('excludedAttributes')
  if (attributes === undefined && excludedAttributes === undefined) return {}
  return checkProjection(
    {
      attributes: splitNames(attributes ?? []),
      excludedAttributes: splitNames(excludedAttributes ?? []),
    },
    limits,
  )
}

function checkProjection(
  { attributes, excludedAttributes }: Required<ProjectionRequest>,
  limits: ScimLimits,
): ProjectionRequest {
  if (attributes.length > 0 && excludedAttributes.length > 0) {
    throw invalidValue('attributes and excludedAttributes cannot be used together.')
  }
  if (attributes.length + excludedAttributes.length > limits.attributesListed) {
    throw invalidValue(`A request may list ${limits.attributesListed} attributes.`)
  }
  return { attributes, excludedAttributes }
}

function readNames(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null) return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.filter((entry) => typeof entry === 'string')
  if (texts.length !== list.length) throw invalidValue(`${name} must be a list of names.`)
  return splitNames(texts)
}

function splitNames(texts: readonly string[]): readonly string[] {
  const names: string[] = []
  for (const text of texts) {
    for (const part of text.split(',')) {
      const name = part.trim()
      if (name !== '') names.push(name)
    }
  }
  return names
}

interface RawQuery {
  readonly filter: string | undefined
  readonly sortBy: string | undefined
  readonly sortOrder: string | undefined
  readonly startIndex: number | undefined
  readonly count: number | undefined
  readonly cursor: string | undefined
}

function complete(given: RawQuery, projection: ProjectionRequest): ListRequest {
  const { filter, sortBy, startIndex, count, cursor } = given
  const { attributes, excludedAttributes } = projection
  const request: { -readonly [Key in keyof ListRequest]: ListRequest[Key] } = {
    descending: readOrder(given.sortOrder),
  }
  // Spreading what most requests lack would cost as much as parsing the filter.
  if (attributes !== undefined) request.attributes = attributes
  if (excludedAttributes !== undefined) request.excludedAttributes = excludedAttributes
  if (filter !== undefined) request.filter = filter
  if (sortBy !== undefined && sortBy !== '') request.sortBy = sortBy
  if (startIndex !== undefined) request.startIndex = startIndex
  if (count !== undefined) request.count = count
  if (cursor !== undefined) request.cursor = cursor
  return request
}

function readOrder(text: string | undefined): boolean {
  const order = text === undefined || text === '' ? 'ascending' : text.toLowerCase()
  if (order === 'ascending') return false
  if (order === 'descending') return true
  throw invalidValue('sortOrder must be ascending or descending.')
}

function readInteger(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\s*[+-]?\d{1,15}\s*$/.test(text)) return Number(text)
  if (/^\s*[+-]?\d+\s*$/.test(text)) {
    return text.includes('-') ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
  }
  throw new ScimError('invalid_value', `${name} must be an integer.`)
}
