import { expect, test } from 'vitest'
import { ScimError, type ScimErrorCode } from '../base/errors.ts'
import { StoreUnavailableError } from '../store/errors.ts'
import { toScimError } from '../rules/to-scim-error.ts'
import { errorReply } from './error-response.ts'

/** The table of SC-11 in full: status, and scimType where the RFCs define one. */
const ANSWERS: Readonly<Record<ScimErrorCode, readonly [status: number, scimType?: string]>> = {
  invalid_syntax: [400, 'invalidSyntax'],
  invalid_filter: [400, 'invalidFilter'],
  invalid_path: [400, 'invalidPath'],
  no_target: [400, 'noTarget'],
  invalid_value: [400, 'invalidValue'],
  mutability: [400, 'mutability'],
  too_many: [400, 'tooMany'],
  invalid_cursor: [400, 'invalidCursor'],
  expired_cursor: [400, 'expiredCursor'],
  invalid_count: [400, 'invalidCount'],
  uniqueness: [409, 'uniqueness'],
  conflict: [409],
  bulk_conflict: [409],
  disabled: [401],
  unauthorized: [401],
  forbidden: [403],
  not_found: [404],
  method_not_allowed: [405],
  version_mismatch: [412],
  too_large: [413],
  unsupported_media_type: [415],
  too_many_requests: [429],
  internal: [500],
  not_implemented: [501],
  unavailable: [503],
}

test.each(Object.entries(ANSWERS))('SC-11 %s is answered as the RFCs say', (code, answer) => {
  const [expected, scimType] = answer
  const { status, body } = errorReply(new ScimError(code as ScimErrorCode, 'A detail.'))
  expect(status).toBe(expected)
  expect(JSON.parse(body ?? '')).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(expected),
    ...(scimType === undefined ? {} : { scimType }),
    detail: 'A detail.',
  })
})

test('SC-12 unknown errors become internal, branded errors of other copies are kept', () => {
  expect(toScimError(new Error('secret'))).toMatchObject({
    code: 'internal',
    detail: 'Internal error',
  })
  expect(toScimError(undefined)).toMatchObject({ code: 'internal' })
  expect(toScimError(new StoreUnavailableError())).toMatchObject({ status: 503 })
  const foreign = { [Symbol.for('x.scim.error')]: true, code: 'forbidden', status: 403 }
  expect(toScimError(foreign)).toBe(foreign)
})
