import { z } from 'zod'
import { isObject } from '@x/wire'
import { InputValueRequest } from './build.ts'
import { versionName } from './flow-version.ts'
import { bool, dict, nameText, oneOf, orNull, text, uuid } from './scalars.ts'

/** Body of a run. Unknown keys are ignored. */
export const RunInput = z
  .object({
    input_value: orNull(text()),
    /** null means `any`. */
    input_type: oneOf(['chat', 'text', 'any'], 'literal_error').nullable().default('chat'),
    output_type: oneOf(['chat', 'text', 'any', 'debug'], 'literal_error').default('chat'),
    output_component: text().nullable().default(''),
    tweaks: orNull(dict()),
    session_id: orNull(nameText()),
  })
  .meta({ id: 'SimplifiedAPIRequest' })

/** The long form of the body. */
export const RunBody = z
  .object({ input_request: RunInput.nullish(), context: orNull(dict()) })
  .meta({ id: 'RunFlowRequest' })

export const RunQuery = z.object({
  stream: bool().default(false),
  user_id: orNull(uuid()),
  version: versionName(),
})

export const FlowNameQuery = z.object({ user_id: orNull(uuid()), version: versionName() })

/** Several inputs; each is a whole run. */
export const AdvancedRunBody = z
  .object({
    inputs: InputValueRequest.array().nullish(),
    outputs: text().array().nullish(),
    tweaks: orNull(dict()),
    stream: bool().default(false),
    session_id: orNull(nameText()),
  })
  .nullish()
  .meta({ id: 'AdvancedRunRequest' })

/** A difference between a run and the flow as shown, such as an edited node that ran as the stock one. */
const RunWarning = z
  .object({
    code: text(),
    message: text(),
    component_id: text().optional(),
  })
  .meta({ id: 'RunWarning' })

/** The response of a run. */
export const RunResponse = z
  .object({
    session_id: text().nullable(),
    outputs: z.array(z.unknown()),
    warnings: z.array(RunWarning).optional(),
  })
  .meta({ id: 'RunResponse' })

/** The two forms of the body, combined. */
export interface RunRequest {
  readonly input: z.output<typeof RunInput>
  readonly context: Record<string, unknown> | null
}

// Created once, because creating a schema costs far more than using it.
const longForm = RunBody.transform(({ input_request, context }) => ({
  input: input_request ?? RunInput.parse({}),
  context,
}))
const shortForm = RunInput.transform((input) => ({ input, context: null }))
const emptyForm = RunInput.extend({ context: orNull(dict()) }).transform(
  ({ context, ...input }) => ({ input, context }),
)

/**
 * The body of a run: the long form if it has a key `input_request`, else the plain fields. If
 * `input_request` is null, both forms apply. Without a body all defaults apply.
 */
export const RunRequestBody = z.unknown().transform((value, context): RunRequest => {
  const body = value ?? {}
  const result = formOf(body).safeParse(body)
  if (result.success) return result.data
  for (const issue of result.error.issues) context.issues.push({ ...issue, input: body } as never)
  return z.NEVER
})

function formOf(body: unknown) {
  if (!isObject(body) || !('input_request' in body)) return shortForm
  return body['input_request'] === null ? emptyForm : longForm
}

/** State of a build job, under the operation's former name. */
export const TaskResponse = z
  .object({
    status: oneOf(['PENDING', 'STARTED', 'SUCCESS', 'FAILURE', 'REVOKED']),
    result: RunResponse.nullable(),
  })
  .meta({ id: 'TaskResponse' })
