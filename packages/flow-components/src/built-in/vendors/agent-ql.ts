import { isObject } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { vendorMessage, vendorRequest } from './vendor-request.ts'

const URL = 'https://api.agentql.com/v1/query-data'

const fields = {
  api_key: field.secret({ displayName: 'AgentQL API Key', required: true }),
  url: field.text({ displayName: 'URL', required: true, toolMode: true }),
  query: field.multiline({ displayName: 'AgentQL Query', toolMode: true }),
  prompt: field.multiline({ displayName: 'Prompt', toolMode: true }),
  is_stealth_mode_enabled: field.bool({
    displayName: 'Enable Stealth Mode (Beta)',
    default: false,
    advanced: true,
  }),
  timeout: field.int({
    displayName: 'Timeout',
    default: 900,
    advanced: true,
    info: 'Timeout in seconds.',
  }),
  mode: field.dropdown({
    displayName: 'Request Mode',
    default: 'fast',
    options: ['fast', 'standard'],
    advanced: true,
  }),
  wait_for: field.int({ displayName: 'Wait For', default: 0, advanced: true }),
  is_scroll_to_bottom_enabled: field.bool({
    displayName: 'Enable scroll to bottom',
    default: false,
    advanced: true,
  }),
  is_screenshot_enabled: field.bool({
    displayName: 'Enable screenshot',
    default: false,
    advanced: true,
  }),
}

type AgentQlInputs = Values<typeof fields>

/** Extracts data from a web page with a query or a prompt. */
export const agentQl = defineComponent({
  type: 'AgentQL',
  displayName: 'Extract Web Data',
  description: 'Extracts data from a web page with an AgentQL query or a prompt.',
  icon: 'AgentQL',
  category: 'agentql',
  module: 'lfx.components.agentql.agentql_api.AgentQL',
  inputs: fields,
  outputs: {
    data: output.data({
      displayName: 'JSON',
      method: 'build_output',
      run: (inputs, ctx) => extract(inputs, ctx),
    }),
  },
})

async function extract(inputs: AgentQlInputs, ctx: ComponentContext): Promise<object> {
  const { query, prompt, api_key: key } = inputs
  if (query === '' && prompt === '') throw new TypeError('Either Query or Prompt must be provided.')
  if (query !== '' && prompt !== '') {
    throw new TypeError("Both Query and Prompt can't be provided at the same time.")
  }
  const answer = await vendorRequest(
    {
      url: URL,
      headers: { 'X-API-Key': key },
      body: {
        url: inputs.url,
        query: query === '' ? null : query,
        prompt: prompt === '' ? null : prompt,
        params: {
          mode: inputs.mode,
          wait_for: inputs.wait_for,
          is_scroll_to_bottom_enabled: inputs.is_scroll_to_bottom_enabled,
          is_screenshot_enabled: inputs.is_screenshot_enabled,
        },
        metadata: { experimental_stealth_mode_enabled: inputs.is_stealth_mode_enabled },
      },
      timeoutMs: inputs.timeout * 1000,
      secrets: [key],
    },
    ctx,
  )
  if (answer.status === 401) throw new TypeError('Give a valid AgentQL API key.')
  if (!answer.ok) throw new TypeError(vendorMessage(answer))
  const body = isObject(answer.body) ? answer.body : {}
  const result = { result: body.data ?? null, metadata: body.metadata ?? null }
  ctx.status(result)
  return result
}
