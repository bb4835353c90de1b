import { z } from 'zod'
import { missing, valueProblem, reader } from './reader.ts'
import { text } from './scalars.ts'

/** A form field whose empty string counts as missing. */
function filled() {
  return reader<string>({ type: 'string' }, (value) =>
    typeof value === 'string' && value !== '' ? value : missing,
  )
}

/** Absent, empty, or exactly `password`. */
function grantType() {
  return reader<string>({ type: 'string', pattern: '^password$' }, (value) =>
    value === '' || value === 'password'
      ? value
      : valueProblem('string_pattern_mismatch', "String should match pattern '^password$'", {
          pattern: '^password$',
        }),
  )
}

/** The sign-in form; client and scope are accepted and ignored. */
export const LoginForm = z
  .object({
    grant_type: grantType().optional(),
    username: filled(),
    password: filled(),
    scope: text().default(''),
    client_id: text().optional(),
    client_secret: text().optional(),
  })
  .meta({ id: 'LoginForm' })

/** The tokens of a sign-in. */
export const TokenObject = z
  .strictObject({
    access_token: z.string(),
    refresh_token: z.string().nullable(),
    token_type: z.literal('bearer'),
  })
  .meta({ id: 'Token' })
