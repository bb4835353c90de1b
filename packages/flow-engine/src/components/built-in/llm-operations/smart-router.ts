import { createMessage, isMessage, readText, type Message } from '../../../graph/values/message.ts'
import { ownText } from '@x/wire'
import {
  pickedChatModel,
  pickerAddressFields,
  type PickerInputs,
} from '../../chat/picker-fields.ts'
import { wholeAnswer } from '../../chat/model-answer.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output, type OutputDefinition } from '../../define/output.ts'

const ELSE = 'default_result'
const CHOSEN = 'chosen'
/** Maximum number of routes of a node; others are ignored. */
const MAX_ROUTES = 100

const DEFAULT_ROUTES = [
  {
    route_category: 'Positive',
    route_description: 'Praise or satisfaction',
    output_value: '',
  },
  {
    route_category: 'Negative',
    route_description: 'Complaints or dissatisfaction',
    output_value: '',
  },
]

/** Lets a model select the branch for a text. */
export const smartRouter = defineComponent({
  type: 'SmartRouter',
  displayName: 'Smart Router',
  description: 'Sends a text to the route chosen by a language model.',
  icon: 'route',
  category: 'llm_operations',
  module: 'lfx.components.llm_operations.llm_conditional_router.SmartRouterComponent',
  inputs: {
    model: field.picker({ displayName: 'Language Model', required: true, refresh: true }),
    api_key: field.key({ displayName: 'API Key', advanced: true }),
    ...pickerAddressFields,
    input_text: field.text({ displayName: 'Input', required: true }),
    routes: field.table({
      displayName: 'Routes',
      required: true,
      refresh: true,
      default: DEFAULT_ROUTES,
      columns: [
        {
          name: 'route_category',
          display_name: 'Route Name',
          type: 'str',
          description: 'Name of the route and of its output.',
          edit_mode: 'inline',
        },
        {
          name: 'route_description',
          display_name: 'Route Description',
          type: 'str',
          description: 'The texts that take this route.',
          default: '',
          edit_mode: 'popover',
        },
        {
          name: 'output_value',
          display_name: 'Route Message (Optional)',
          type: 'str',
          description: 'Sent instead of the text.',
          default: '',
          edit_mode: 'popover',
        },
      ],
    }),
    message: field.message({
      displayName: 'Override Output',
      info: 'Sent instead of the text on every route.',
      advanced: true,
    }),
    enable_else_output: field.bool({
      displayName: 'Include Else Output',
      info: 'Send text that matches no route to a separate output.',
      default: false,
      advanced: true,
      refresh: true,
    }),
    custom_prompt: field.multiline({
      displayName: 'Additional Instructions',
      info: '{input_text} and {routes} are replaced by the text and the routes.',
      advanced: true,
    }),
  },
  outputs: Object.fromEntries(
    DEFAULT_ROUTES.map(({ route_category }, at) => [
      outputName(at),
      output.message({
        displayName: route_category,
        method: 'process_case',
        groupOutputs: true,
        run: () => '',
      }),
    ]),
  ),
  nodeOutputs: (values) => routeOutputs(values),
  refresh(template, name, value, ctx) {
    if (name !== 'routes' && name !== 'enable_else_output') return undefined
    const valueOf = (of: string): unknown => (name === of ? value : template[of]?.value)
    const values = { routes: valueOf('routes'), enable_else_output: valueOf('enable_else_output') }
    return {
      template,
      outputs: Object.entries(routeOutputs(values)).map(([key, made]) => ctx.output(key, made)),
    }
  },
})

interface Route {
  readonly name: string
  readonly description: string
  readonly message: string
}

interface RouterInputs extends PickerInputs {
  readonly input_text: string
  readonly routes: readonly Readonly<Record<string, unknown>>[]
  readonly message: Message | null
  readonly enable_else_output: boolean
  readonly custom_prompt: string
}

/**
 * Reads the routes in order. Rows without a name keep their position, so that the other outputs keep theirs.
 */
function routesOf(rows: unknown): Route[] {
  return (Array.isArray(rows) ? rows.slice(0, MAX_ROUTES) : []).map((row: unknown) => {
    const given = typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : {}
    return {
      name: (ownText(given, 'route_category') ?? '').trim(),
      description: (ownText(given, 'route_description') ?? '').trim(),
      message: ownText(given, 'output_value') ?? '',
    }
  })
}

function outputName(at: number): string {
  return `category_${at + 1}_result`
}

/** Returns one output per route, and one for text that matches none. */
function routeOutputs(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, OutputDefinition>> {
  const routes = routesOf(values.routes ?? DEFAULT_ROUTES)
  const labels = routes.map(
    ({ name }, at) => [outputName(at), name || `Category ${at + 1}`] as const,
  )
  const all = [...labels, ...(values.enable_else_output === true ? [[ELSE, 'Else'] as const] : [])]
  const names = all.map(([name]) => name)
  return Object.fromEntries(
    all.map(([name, displayName]) => [
      name,
      {
        outputKind: 'message',
        types: ['Message'],
        displayName,
        method: name === ELSE ? 'default_response' : 'process_case',
        groupOutputs: true,
        run: (inputs, ctx) => route(inputs as unknown as RouterInputs, ctx, { name, names }),
      } satisfies OutputDefinition,
    ]),
  )
}

interface Place {
  readonly name: string
  readonly names: readonly string[]
}

/** The first output of a build asks the model; the others reuse the answer. */
async function route(
  inputs: RouterInputs,
  ctx: ComponentContext,
  { name, names }: Place,
): Promise<Message> {
  const routes = routesOf(inputs.routes)
  const known = ctx.state.get(CHOSEN) as { build: number; chosen: string } | undefined
  const chosen = known?.build === ctx.build ? known.chosen : await choose(inputs, routes, ctx)
  if (known?.build !== ctx.build) {
    ctx.state.set(CHOSEN, { build: ctx.build, chosen })
    for (const other of names) if (other !== chosen) ctx.stop(other)
  }
  if (chosen !== name) return createMessage('')
  const text = await messageText(inputs, routes[names.indexOf(name)]?.message ?? '')
  ctx.status(text)
  return createMessage(text)
}

async function messageText({ message, input_text }: RouterInputs, own: string): Promise<string> {
  const override = isMessage(message) ? await readText(message.text) : ''
  return override || own || input_text
}

/** Returns the output of the route named by the model, or the else output. */
async function choose(
  inputs: RouterInputs,
  routes: readonly Route[],
  ctx: ComponentContext,
): Promise<string> {
  const offered = routes.filter(({ name }) => name !== '')
  if (offered.length === 0) return ELSE
  const model = await pickedChatModel(inputs, ctx)
  const answer = await wholeAnswer(
    model.stream({
      messages: [{ role: 'user', content: question(inputs, offered) }],
      stream: false,
      signal: ctx.signal,
    }),
  )
  const wanted = plainName(answer.text)
  const found = routes.findIndex(({ name }) => name !== '' && plainName(name) === wanted)
  ctx.status(found < 0 ? 'No route matches' : `Route: ${routes[found]?.name ?? ''}`)
  return found < 0 ? ELSE : outputName(found)
}

/** Removes surrounding spaces, quotes and a full stop, and lower-cases the text. */
function plainName(text: string): string {
  return text
    .trim()
    .replaceAll(/^["'`*]+|(?<!["'`*.])["'`*.]+$/g, '')
    .trim()
    .toLowerCase()
}

function question({ input_text, custom_prompt }: RouterInputs, routes: readonly Route[]): string {
  const list = routes
    .map(({ name, description }) =>
      description === '' ? `- ${name}` : `- ${name}: ${description}`,
    )
    .join('\n')
  const more = custom_prompt
    .split('{routes}')
    .join(list)
    .split('{input_text}')
    .join(input_text)
    .trim()
  return [
    'Choose the category that the text below belongs to.',
    `Categories:\n${list}`,
    ...(more === '' ? [] : [`Additional instructions:\n${more}`]),
    `Text:\n${input_text}`,
    'Answer with the exact name of one category and nothing else. Answer NONE if no category fits.',
  ].join('\n\n')
}
