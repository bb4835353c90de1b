import { parseJson } from '@x/wire'
import { createData, type Data, errorText } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { answerText, RequestError, type Answer } from '../../web/send-request.ts'
import { exchange, type HttpExchange } from './http-exchange.ts'
import { chooseMode, fillFromCurl, readCurl } from './curl-fields.ts'
import { bodyOf, headersOf, queryParams, requestUrl } from './request-parts.ts'
import { answerStore, isBinary, saveAnswer } from './save-answer.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

const fields = {
  url_input: field.text({
    displayName: 'URL',
    info: 'The URL to request.',
    toolMode: true,
  }),
  curl_input: field.multiline({
    displayName: 'cURL',
    info: 'A cURL command from which the other fields are filled.',
    advanced: true,
    show: false,
    refresh: true,
    toolMode: true,
  }),
  method: field.dropdown({
    displayName: 'Method',
    options: METHODS,
    default: 'GET',
    refresh: true,
  }),
  mode: field.tab({
    displayName: 'Mode',
    options: ['URL', 'cURL'],
    default: 'URL',
    refresh: true,
  }),
  query_params: field.handle({
    displayName: 'Query Parameters',
    types: ['Data'],
    advanced: true,
    attributes: { _input_type: 'DataInput', trace_as_input: true, tool_mode: false },
  }),
  body: field.table({
    displayName: 'Body',
    columns: [
      { name: 'key', display_name: 'Key', type: 'str' },
      { name: 'value', display_name: 'Value' },
    ],
    default: [],
    keepData: true,
    inputTypes: ['Data'],
    advanced: true,
    refresh: true,
  }),
  headers: field.table({
    displayName: 'Headers',
    columns: [
      { name: 'key', display_name: 'Header', type: 'str' },
      { name: 'value', display_name: 'Value', type: 'str' },
    ],
    default: [{ key: 'User-Agent', value: 'Langflow/1.0' }],
    inputTypes: ['Data'],
    advanced: true,
    refresh: true,
  }),
  timeout: field.int({
    displayName: 'Timeout',
    info: 'Time limit of the request in seconds.',
    default: 30,
    advanced: true,
  }),
  follow_redirects: field.bool({
    displayName: 'Follow Redirects',
    default: false,
    advanced: true,
  }),
  save_to_file: field.bool({
    displayName: 'Save to File',
    info: 'Save the content to a file instead of returning it.',
    default: false,
    advanced: true,
  }),
  include_httpx_metadata: field.bool({
    displayName: 'Include HTTPx Metadata',
    info: 'Add the request headers to the result.',
    default: false,
    advanced: true,
  }),
}

/** A command gives plain rows. */
type RequestInputs = Omit<Values<typeof fields>, 'body' | 'headers'> &
  Readonly<Record<'body' | 'headers', readonly unknown[]>>

/** Sends an HTTP request and returns the response, whatever its status. */
export const apiRequest = defineComponent({
  type: 'APIRequest',
  displayName: 'API Request',
  description: 'Sends an HTTP request, defined by fields or a cURL command.',
  icon: 'Globe',
  category: 'data_source',
  module: 'lfx.components.data_source.api_request.APIRequestComponent',
  // A request that was in progress when the process ended may have taken effect.
  idempotent: false,
  inputs: fields,
  outputs: {
    data: output.data({
      displayName: 'API Response',
      method: 'make_api_request',
      async run(inputs, ctx) {
        const data = await request(inputs, ctx)
        ctx.status(data)
        return data
      },
    }),
  },
  refresh(template, name, value) {
    if (name === 'mode') chooseMode(template, value)
    const isCommand = name === 'curl_input' && template.mode?.value === 'cURL'
    if (isCommand && typeof value === 'string' && value !== '') fillFromCurl(template, value)
  },
})

async function request(inputs: RequestInputs, ctx: ComponentContext): Promise<Data> {
  const { url_input, method, body, headers } = withCurl(inputs)
  const verb = method.toUpperCase()
  if (!METHODS.some((known) => known === verb)) throw new TypeError(`Unsupported method: ${method}`)
  if (inputs.save_to_file) answerStore(ctx)
  const url = requestUrl(url_input, queryParams(inputs.query_params))
  const sent = headersOf(headers)
  const content = verb === 'GET' ? undefined : JSON.stringify(bodyOf(body))
  try {
    const done = await exchange(
      url,
      {
        method: verb,
        headers: content === undefined ? sent : { 'content-type': 'application/json', ...sent },
        ...(content === undefined ? {} : { body: content }),
        timeoutMs: inputs.timeout > 0 ? inputs.timeout * 1000 : undefined,
        followRedirects: inputs.follow_redirects,
      },
      ctx,
    )
    return await describeAnswer(url, done, { ...inputs, sent }, ctx)
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof RangeError)) throw error
    return createData({ source: url, headers: sent, status_code: 500, error: errorText(error) })
  }
}

/** A node in cURL mode whose fields were not filled in by the editor uses its command. */
function withCurl(inputs: RequestInputs): RequestInputs {
  const { mode, curl_input, url_input } = inputs
  if (mode !== 'cURL' || curl_input.trim() === '' || url_input.trim() !== '') return inputs
  const { url, method, headers, body } = readCurl(curl_input)
  return { ...inputs, url_input: url, method, headers, body }
}

interface AnswerOptions {
  readonly sent: Readonly<Record<string, string>>
  readonly save_to_file: boolean
  readonly include_httpx_metadata: boolean
}

async function describeAnswer(
  source: string,
  { answer, redirects }: HttpExchange,
  options: AnswerOptions,
  ctx: ComponentContext,
): Promise<Data> {
  return createData({
    source,
    status_code: answer.status,
    response_headers: Object.fromEntries(answer.headers),
    ...(redirects.length === 0 ? {} : { redirection_history: redirects }),
    ...(options.save_to_file
      ? { file_path: await saveAnswer(answer, ctx) }
      : { result: readResult(answer) }),
    ...(options.include_httpx_metadata ? { headers: options.sent } : {}),
  })
}

/** Returns JSON unchanged and everything else as bytes, with text in UTF-8. */
function readResult(answer: Answer): unknown {
  if (isBinary(answer)) return answer.bytes
  const text = answerText(answer)
  try {
    return parseJson(text)
  } catch {
    return new TextEncoder().encode(text)
  }
}
