import { isObject, trimSlashes } from '@x/wire'
import { field, type Values, type ComponentContext } from '@x/flow-engine'
import {
  defineVectorStore,
  type EmbeddedDocument,
  type RemoteCollection,
} from '../vectors/define-vector-store.ts'
import { documentId } from '../vectors/document-id.ts'
import { createRepeatBudget } from '../vectors/repeat-budget.ts'
import { recordsIn, requireSuccess, shortMessage, textIn, vendorRequest } from './vendor-request.ts'

/** Properties of texts, numbers and truth values, of which an answer may consist. */
const PLAIN_TYPES = new Set(['text', 'string', 'int', 'number', 'boolean', 'date', 'uuid'])

const fields = {
  url: field.string({
    displayName: 'Weaviate URL',
    default: 'http://localhost:8080',
    required: true,
  }),
  api_key: field.secret({ displayName: 'API Key' }),
  index_name: field.string({
    displayName: 'Index Name',
    info: 'Begins with a capital letter.',
    required: true,
  }),
  text_key: field.string({ displayName: 'Text Key', default: 'text', advanced: true }),
  search_by_text: field.bool({
    displayName: 'Search By Text',
    info: 'The server embeds the query; needs no embedding model here.',
    advanced: true,
  }),
}

type WeaviateInputs = Values<typeof fields>

/** A class on a Weaviate server, through its HTTP API. */
export const weaviate = defineVectorStore({
  type: 'Weaviate',
  aliases: ['WeaviateVectorStore', 'WeaviateVectorStoreComponent'],
  displayName: 'Weaviate',
  description: 'Stores texts in a Weaviate class and searches them by meaning.',
  icon: 'Weaviate',
  category: 'weaviate',
  module: 'lfx.components.weaviate.weaviate.WeaviateVectorStoreComponent',
  inputs: fields,
  embedsItself: ({ search_by_text }) => search_by_text,
  open: (inputs, ctx) => openClass(inputs, ctx),
})

/** @throws TypeError for names that Weaviate does not accept */
function openClass(inputs: WeaviateInputs, ctx: ComponentContext): RemoteCollection {
  const { index_name: name, text_key: textKey, search_by_text: byText } = inputs
  if (!/^[A-Z]\w*$/.test(name)) {
    const wanted = name.charAt(0).toUpperCase() + name.slice(1)
    throw new TypeError(`Weaviate requires the index name to be capitalized. Use: ${wanted}`)
  }
  if (propertyName(textKey) !== textKey) throw new TypeError(`Text Key cannot be "${textKey}"`)
  const repeat = createRepeatBudget('Text Key', textKey)
  const ask = createClient(inputs, ctx)
  let properties: Promise<readonly string[]> | undefined
  /** The plain properties of the class, which is created when it is missing. */
  const requireClass = async (): Promise<readonly string[]> => {
    const found = await ask(`/schema/${name}`, { accepts: 404 })
    if (found !== undefined) {
      return recordsIn(isObject(found) ? found.properties : undefined)
        .filter(({ dataType: types }) => Array.isArray(types) && PLAIN_TYPES.has(String(types[0])))
        .map((property) => textIn(property.name))
    }
    const vectorizer = byText ? {} : { vectorizer: 'none' }
    const text = { name: textKey, dataType: ['text'] }
    await ask('/schema', { body: { class: name, ...vectorizer, properties: [text] } })
    return [textKey]
  }
  return {
    async add(documents) {
      await (properties ??= requireClass())
      repeat(documents.length)
      const objects = documents.map((document) => objectOf(document, name, textKey))
      const answers = recordsIn(await ask('/batch/objects', { body: { objects } }))
      for (const { result } of answers) refuseErrors(isObject(result) ? result.errors : undefined)
      properties = undefined
    },
    async search({ vector, text, limit }) {
      const known = new Set([textKey, ...(await (properties ??= requireClass()))])
      const near = byText
        ? `nearText: {concepts: [${JSON.stringify(text)}]}`
        : `nearVector: {vector: ${JSON.stringify(vector)}}`
      const names = [...known].filter((one) => propertyName(one) === one)
      const query = `{Get {${name}(${near}, limit: ${Math.max(0, Math.trunc(limit))}) {${names.join(' ')}}}}`
      const answer = await ask('/graphql', { body: { query } })
      if (!isObject(answer)) return []
      refuseErrors(answer.errors === undefined ? undefined : { error: answer.errors })
      const { data } = answer
      const got = isObject(data) && isObject(data.Get) ? data.Get[name] : undefined
      return recordsIn(got).map(({ [textKey]: content, ...metadata }) => ({
        text: textIn(content),
        metadata: Object.fromEntries(
          Object.entries(metadata).filter(([, value]) => value !== null),
        ),
      }))
    },
  }
}

interface Asked {
  readonly body?: object
  /** A status that means that there is nothing. */
  readonly accepts?: number
}

function createClient({ url, api_key }: WeaviateInputs, ctx: ComponentContext) {
  const base = `${trimSlashes(url.trim())}/v1`
  const key = api_key ?? ''
  return async (path: string, { body, accepts }: Asked): Promise<unknown> => {
    const answer = await vendorRequest(
      {
        url: `${base}${path}`,
        headers: key === '' ? {} : { authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { body }),
        secrets: [key],
      },
      ctx,
    )
    return answer.status === accepts ? undefined : requireSuccess('Weaviate', answer).body
  }
}

function objectOf(document: EmbeddedDocument, name: string, textKey: string): object {
  const { text, metadata, vector } = document
  const entries = Object.entries(metadata)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => [propertyName(key), plain(value)] as const)
  return {
    class: name,
    id: documentId(document),
    ...(vector.length === 0 ? {} : { vector }),
    properties: { ...Object.fromEntries(entries), [textKey]: text },
  }
}

/** A name that Weaviate accepts; `id` is its own. */
function propertyName(key: string): string {
  const name = key
    .replaceAll(/\W/g, '_')
    .replace(/^(?=\d|$)/, '_')
    .slice(0, 200)
  return name === 'id' || name === '_id' || name === 'vector' ? `${name}_` : name
}

function plain(value: unknown): unknown {
  return typeof value === 'object' ? JSON.stringify(value) : value
}

/** @throws TypeError if an answer with status 200 tells errors */
function refuseErrors(errors: unknown): void {
  const [first] = recordsIn(isObject(errors) ? errors.error : undefined)
  if (first !== undefined)
    throw new TypeError(`Weaviate answered: ${shortMessage(textIn(first.message))}`)
}
