import { isObject } from '@x/wire'
import { readText } from '@x/flow-engine/internal'
import type { Message } from '@x/flow-engine'
import { readModelJson } from '@x/flow-engine/internal'
import type { ChatModel } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { listOllamaModels } from '@x/flow-engine/internal'
import { oncePerBuild } from '@x/flow-engine/internal'
import { chatFields, temperatureField } from './chat-fields.ts'
import { answerInput, compatibleModel, requireText } from './compatible-model.ts'

const tuning = (displayName: string) => field.float({ displayName, advanced: true })

/** Ollama settings that are not part of the OpenAI API; sent as `options`. */
const tuningFields = {
  mirostat_eta: tuning('Mirostat Eta'),
  mirostat_tau: tuning('Mirostat Tau'),
  num_ctx: tuning('Context Window Size'),
  num_gpu: tuning('Number of GPUs'),
  num_thread: tuning('Number of Threads'),
  repeat_last_n: tuning('Repeat Last N'),
  repeat_penalty: tuning('Repeat Penalty'),
  tfs_z: tuning('TFS Z'),
  top_k: tuning('Top K'),
}

const MIROSTAT = ['Disabled', 'Mirostat', 'Mirostat 2.0']

const fields = {
  base_url: field.text({
    displayName: 'Ollama API URL',
    default: 'http://localhost:11434',
    refresh: true,
  }),
  model_name: field.dropdown({
    displayName: 'Model Name',
    options: [],
    default: '',
    combobox: true,
    required: true,
    refresh: true,
  }),
  api_key: field.secret({ displayName: 'Ollama API Key', advanced: true }),
  temperature: temperatureField(0.1, { max: 1 }),
  format: field.string({ displayName: 'Format', show: false }),
  metadata: field.dict({
    displayName: 'Metadata',
    info: 'Has no effect.',
    default: {},
    advanced: true,
  }),
  mirostat: field.dropdown({
    displayName: 'Mirostat',
    options: MIROSTAT,
    default: 'Disabled',
    advanced: true,
  }),
  ...tuningFields,
  timeout: field.int({
    displayName: 'Timeout',
    info: 'Time limit of a request in seconds.',
    advanced: true,
  }),
  top_p: field.float({ displayName: 'Top P', advanced: true }),
  enable_verbose_output: field.bool({
    displayName: 'Ollama Verbose Output',
    info: 'Has no effect.',
    default: false,
    advanced: true,
  }),
  tags: field.text({ displayName: 'Tags', info: 'Has no effect.', advanced: true }),
  stop_tokens: field.text({
    displayName: 'Stop Tokens',
    info: 'Separated by commas.',
    advanced: true,
  }),
  system: field.text({
    displayName: 'System',
    info: 'System message in older flows.',
    advanced: true,
  }),
  tool_model_enabled: field.bool({
    displayName: 'Tool Model Enabled',
    info: 'Has no effect: every model may use tools.',
    default: true,
  }),
  template: field.text({ displayName: 'Template', info: 'Has no effect.', advanced: true }),
  enable_structured_output: field.bool({
    displayName: 'Enable Structured Output',
    info: 'Return the answer as a JSON object.',
    default: false,
  }),
  ...chatFields,
}

type OllamaInputs = Values<typeof fields>

/** A chat model of an Ollama server. */
export const ollamaModel = defineComponent({
  type: 'OllamaModel',
  displayName: 'Ollama',
  description: 'Sends a message to an Ollama model.',
  icon: 'Ollama',
  category: 'ollama',
  module: 'lfx.components.ollama.ollama.ChatOllamaComponent',
  inputs: fields,
  outputs: {
    text_output: output.message({
      displayName: 'Text',
      method: 'text_response',
      run: (inputs, ctx) => answer(inputs, ctx),
    }),
    model_output: output.model({
      displayName: 'Language Model',
      method: 'build_model',
      run: (inputs, ctx) => build(inputs, ctx),
    }),
    data_output: output.data({
      displayName: 'Data',
      method: 'build_data_output',
      async run(inputs, ctx) {
        const [row = {}] = rowsOf(await parsed(inputs, ctx))
        return row
      },
    }),
    dataframe_output: output.dataFrame({
      displayName: 'DataFrame',
      method: 'build_dataframe_output',
      run: async (inputs, ctx) => rowsOf(await parsed(inputs, ctx)),
    }),
  },
  async refresh(template, name, _value, ctx) {
    const offered = template.model_name
    if (offered === undefined || (name !== 'base_url' && name !== 'model_name')) return
    const models = await listOllamaModels(
      (await ctx.resolve('base_url')) ?? template.base_url?.value,
      ctx,
    )
    if (models.length > 0) offered.options = models
  },
})

async function build(inputs: OllamaInputs, ctx: ComponentContext): Promise<ChatModel> {
  const stop = inputs.stop_tokens.split(',').map((token) => token.trim())
  const options = optionsOf(inputs)
  const asJson = inputs.enable_structured_output || inputs.format === 'json'
  return compatibleModel(ctx, {
    displayName: 'Ollama',
    provider: 'Ollama',
    model: requireText('Model Name', inputs.model_name),
    apiKey: inputs.api_key,
    keyOptional: true,
    baseUrl: inputs.base_url,
    maxTokens: null,
    body: {
      top_p: inputs.top_p,
      stop: stop.some((token) => token !== '') ? stop.filter((token) => token !== '') : null,
      response_format: asJson ? { type: 'json_object' } : null,
      options: Object.keys(options).length === 0 ? null : options,
    },
    options: { timeoutMs: (inputs.timeout ?? 0) * 1000 },
    streams: inputs.stream,
    temperature: inputs.temperature,
  })
}

function optionsOf(inputs: OllamaInputs): Record<string, number> {
  const mirostat = MIROSTAT.indexOf(inputs.mirostat)
  const given: Readonly<Record<string, unknown>> = { ...inputs, mirostat }
  const names = ['mirostat', ...Object.keys(tuningFields)]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name]
      return typeof value === 'number' && value > 0 ? [[name, value]] : []
    }),
  )
}

async function answer(inputs: OllamaInputs, ctx: ComponentContext): Promise<Message> {
  const system = inputs.system_message === '' ? inputs.system : inputs.system_message
  return answerInput(await build(inputs, ctx), { ...inputs, system_message: system }, ctx, 'Ollama')
}

/** Parses the answer as JSON once for both outputs; `{text}` if it is not JSON. */
const parsed = oncePerBuild(
  async (inputs: OllamaInputs, ctx: ComponentContext): Promise<unknown> => {
    const { text } = await answer({ ...inputs, stream: false }, ctx)
    const read = await readText(text)
    try {
      return readModelJson(read)
    } catch {
      return { text: read }
    }
  },
)

function rowsOf(value: unknown): Record<string, unknown>[] {
  return [value].flat().map((row) => (isObject(row) ? row : { value: row }))
}
