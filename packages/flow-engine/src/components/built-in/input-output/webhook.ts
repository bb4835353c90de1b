import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

/** Receives the payload of a webhook. */
export const webhook = defineComponent({
  type: 'Webhook',
  displayName: 'Webhook',
  description: 'Starts the flow with the payload posted to its webhook URL.',
  icon: 'webhook',
  category: 'input_output',
  module: 'lfx.components.input_output.webhook.WebhookComponent',
  role: 'input',
  inputs: {
    data: field.multiline({
      displayName: 'Payload',
      info: 'The request body; set by the service.',
      advanced: true,
    }),
    curl: field.multiline({
      displayName: 'cURL',
      default: 'CURL_WEBHOOK',
      advanced: true,
      inputTypes: [],
    }),
    endpoint: field.multiline({
      displayName: 'Endpoint',
      default: 'BACKEND_URL',
      inputTypes: [],
      attributes: { copy_field: true },
    }),
  },
  outputs: {
    output_data: output.data({
      displayName: 'Data',
      method: 'build_data',
      run({ data }, ctx) {
        const payload = readPayload(data)
        ctx.status(payload)
        return payload
      },
    }),
  },
})

/**
 * Parses a payload. Blank text and null become {}; other JSON values that are not objects are stored under
 * `payload`, and other text as a string.
 */
export function readPayload(text: string): object {
  if (text.trim() === '') return {}
  try {
    const payload: unknown = parseJson(text)
    if (payload === null) return {}
    return isObject(payload) ? payload : { payload }
  } catch {
    return { payload: text }
  }
}
