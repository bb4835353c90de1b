import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import type { Tool } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const BASE = 'https://api.apify.com/v2'
const MAX_RUN_MS = 15 * 60_000
const OPEN = new Set(['READY', 'RUNNING', 'TIMING-OUT', 'ABORTING'])

const fields = {
  apify_token: field.secret({ displayName: 'Apify Token', required: true }),
  actor_id: field.string({
    displayName: 'Actor',
    default: 'apify/website-content-crawler',
    required: true,
  }),
  run_input: field.multiline({
    displayName: 'Run input',
    default:
      '{"startUrls":[{"url":"https://docs.apify.com/academy/web-scraping-for-beginners"}],"maxCrawlDepth":0}',
    required: true,
  }),
  dataset_fields: field.multiline({ displayName: 'Output fields' }),
  flatten_dataset: field.bool({ displayName: 'Flatten output', default: false }),
}

type ActorInputs = Values<typeof fields>

/** Runs an Apify actor, or supplies it as a tool. */
export const apifyActors = defineComponent({
  type: 'ApifyActors',
  displayName: 'Apify Actors',
  description: 'Runs an Apify actor and returns the items of its data set.',
  icon: 'Apify',
  category: 'apify',
  module: 'lfx.components.apify.apify_actor.ApifyActorsComponent',
  idempotent: false,
  inputs: fields,
  outputs: {
    output: output.list({
      displayName: 'Output',
      method: 'run_model',
      async run(inputs, ctx) {
        const items = await runActor(inputs, inputs.run_input, ctx)
        return items.map((item) => shaped(item, inputs))
      },
    }),
    tool: output.tools({
      displayName: 'Tool',
      method: 'build_tool',
      run: async (inputs, ctx) => [await actorTool(inputs, ctx)],
    }),
  },
})

type Item = Record<string, unknown>

async function runActor(
  inputs: ActorInputs,
  runInput: string,
  ctx: ComponentContext,
): Promise<Item[]> {
  const started = await call(`/acts/${actorPath(inputs)}/runs`, inputs, ctx, parsedInput(runInput))
  const id = textIn(started.id)
  const ended = await waitFor(id, inputs, ctx)
  const status = textIn(ended.status)
  if (status !== 'SUCCEEDED') throw new TypeError(`Actor run ended ${status}`)
  const set = encodeURIComponent(textIn(ended.defaultDatasetId))
  const { body } = await request(`/datasets/${set}/items?clean=true&limit=1000`, inputs, ctx)
  return recordsIn(body)
}

async function waitFor(id: string, inputs: ActorInputs, ctx: ComponentContext): Promise<Item> {
  const path = `/actor-runs/${encodeURIComponent(id)}`
  const until = ctx.runtime.now().getTime() + MAX_RUN_MS
  try {
    for (;;) {
      const run = await call(`${path}?waitForFinish=60`, inputs, ctx)
      if (!OPEN.has(textIn(run.status))) return run
      if (ctx.runtime.now().getTime() >= until) throw new TypeError('Actor run ended TIMED-OUT')
      // The vendor's response waits for the run; the pause only prevents a tight loop when it returns
      // immediately.
      await ctx.runtime.sleep(1000, ctx.signal)
    }
  } catch (error) {
    const left = new AbortController()
    const late: ComponentContext = Object.create(ctx, { signal: { value: left.signal } })
    await request(`${path}/abort`, inputs, late, {}).catch(() => undefined)
    throw error
  }
}

/** Returns the `data` of a response. */
async function call(
  path: string,
  inputs: ActorInputs,
  ctx: ComponentContext,
  body?: unknown,
): Promise<Item> {
  const answer = await request(path, inputs, ctx, body)
  const data = isObject(answer.body) ? answer.body.data : undefined
  return isObject(data) ? data : {}
}

async function request(
  path: string,
  { apify_token: token }: ActorInputs,
  ctx: ComponentContext,
  body?: unknown,
) {
  const answer = await vendorRequest(
    {
      url: `${BASE}${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? { timeoutMs: 90_000 } : { body, repeats: false }),
      secrets: [token],
    },
    ctx,
  )
  return requireSuccess('Apify', answer)
}

function actorPath({ actor_id }: ActorInputs): string {
  return encodeURIComponent(actor_id.trim().replaceAll('/', '~')).replaceAll('%7E', '~')
}

function parsedInput(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TypeError(`Run Input is not JSON: ${why}`, { cause: error })
  }
}

/** Selects the wanted fields, with dots for nested ones, and flattens nested objects. */
function shaped(item: Item, { dataset_fields: wanted, flatten_dataset: flat }: ActorInputs): Item {
  const names = wanted
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const chosen =
    names.length === 0
      ? item
      : Object.fromEntries(names.map((name) => [name.replaceAll('.', '_'), reach(item, name)]))
  return flat ? Object.fromEntries(flatEntries(chosen, '', 0)) : chosen
}

function reach(item: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : null
  }, item)
}

function flatEntries(item: Item, prefix: string, depth: number): [string, unknown][] {
  return Object.entries(item).flatMap(([key, value]) =>
    isObject(value) && depth < 20
      ? flatEntries(value, `${prefix}${key}_`, depth + 1)
      : [[`${prefix}${key}`, value] as [string, unknown]],
  )
}

async function actorTool(inputs: ActorInputs, ctx: ComponentContext): Promise<Tool> {
  const actor = await call(`/acts/${actorPath(inputs)}`, inputs, ctx)
  const schema = await inputSchema(actor, inputs, ctx)
  return {
    name: `apify_actor_${inputs.actor_id.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64),
    description: `${textIn(actor.description)} Input: JSON of this schema: ${schema}`.trim(),
    parameters: {
      type: 'object',
      properties: { run_input: { type: 'string', description: 'JSON for the actor.' } },
      required: ['run_input'],
    },
    async call(args) {
      const given: unknown = Object(args).run_input
      const text = typeof given === 'string' ? given : JSON.stringify(given ?? {})
      const items = await runActor(inputs, text, ctx)
      return items.map((item) => JSON.stringify(shaped(item, inputs))).join('\n\n')
    },
  }
}

async function inputSchema(
  actor: Item,
  inputs: ActorInputs,
  ctx: ComponentContext,
): Promise<string> {
  const tagged = isObject(actor.taggedBuilds) ? actor.taggedBuilds.latest : undefined
  const id = isObject(tagged) ? textIn(tagged.buildId) : ''
  if (id === '') return '{}'
  const build = await call(`/actor-builds/${encodeURIComponent(id)}`, inputs, ctx)
  const schema = textIn(build.inputSchema)
  return schema === '' ? '{}' : schema.slice(0, 10_000)
}
