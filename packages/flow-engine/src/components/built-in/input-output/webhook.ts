import { isRecord } from '../../../graph/values/convert.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

/** Where the payload of a webhook call enters a flow (CO-59). */
export const webhook = defineComponent({
  type: 'Webhook',
  displayName: 'Webhook',
  description: 'Starts the flow with what was posted to its webhook address.',
  icon: 'webhook',
  category: 'input_output',
  module: 'lfx.components.input_output.webhook.WebhookComponent',
  role: 'input',
  inputs: {
    data: field.multiline({
      displayName: 'Payload',
      info: 'The body of the call; written by the service.',
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

/** Blank and null are {}; what is no JSON object is under `payload`, as text when it is no JSON. */
export function readPayload(text: string): object {
  if (text.trim() === '') return {}
  try {
    const payload: unknown = JSON.parse(text)
    if (payload === null) return {}
    return isRecord(payload) ? payload : { payload }
  } catch {
    return { payload: text }
  }
}
