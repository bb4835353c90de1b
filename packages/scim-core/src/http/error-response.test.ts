import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SCIM_ERRORS, ScimError, type ScimErrorCode } from '../base/errors.ts'
import { StoreUnavailableError } from '../store/errors.ts'
import { toScimError } from '../rules/to-scim-error.ts'
import { errorReply } from './error-response.ts'

/** The keys of the table are the union of codes. */
const CODES = Object.keys(SCIM_ERRORS) as ScimErrorCode[]

test.each(CODES)('SC-11 %s has an answer and a heading in the reference', (code) => {
  const error = new ScimError(code, 'A detail.')
  const { status, body } = errorReply(error)
  expect(status).toBe(SCIM_ERRORS[code].status)
  expect(JSON.parse(body ?? '')).toMatchObject({ status: String(status), detail: 'A detail.' })
  const reference = new URL('../../../../docs/reference/scim-errors.md', import.meta.url)
  expect(readFileSync(reference, 'utf8')).toContain(`\n## ${code}\n`)
})

test('SC-12 unknown errors become internal, branded ones of other copies stay', () => {
  expect(toScimError(new Error('secret'))).toMatchObject({
    code: 'internal',
    detail: 'Internal error',
  })
  expect(toScimError(undefined)).toMatchObject({ code: 'internal' })
  expect(toScimError(new StoreUnavailableError())).toMatchObject({ status: 503 })
  const foreign = { [Symbol.for('x.scim.error')]: true, code: 'forbidden', status: 403 }
  expect(toScimError(foreign)).toBe(foreign)
})
