import { isObject } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { astraCommand, type AstraAccess } from './astra-api.ts'
import { recordsIn, textIn } from './vendor-request.ts'

/** The operations of a collection. */
export interface AstraCollection {
  readonly access: AstraAccess
  readonly name: string
  /** True if the collection embeds text itself. */
  readonly vectorizes: boolean
  readonly hybrid: boolean
  /** Name of the text field. */
  readonly textField: string
}

interface CollectionOptions {
  readonly contentField: string
  readonly autodetect: boolean
}

/** Reads a collection's definition from the database. @throws TypeError if it does not exist */
export async function describeCollection(
  access: AstraAccess,
  name: string,
  wanted: CollectionOptions,
  ctx: ComponentContext,
): Promise<AstraCollection> {
  const command = { findCollections: { options: { explain: true } } }
  const { status } = await astraCommand(access, { command }, ctx)
  const found = recordsIn(isObject(status) ? status.collections : []).find(
    (collection) => collection.name === name,
  )
  if (found === undefined) {
    throw new TypeError(`Collection '${name}' does not exist in keyspace '${access.keyspace}'.`)
  }
  const options = isObject(found.options) ? found.options : {}
  const vector = isObject(options.vector) ? options.vector : {}
  return {
    access,
    name,
    vectorizes: isObject(vector.service),
    hybrid: isEnabled(options.lexical) && isEnabled(options.rerank),
    textField: await textFieldOf({ access, name }, wanted, ctx),
  }
}

function isEnabled(setting: unknown): boolean {
  return isObject(setting) && setting.enabled === true
}

/** Returns the configured field, else the one in the first stored document, else `content`. */
async function textFieldOf(
  { access, name }: { readonly access: AstraAccess; readonly name: string },
  { contentField, autodetect }: CollectionOptions,
  ctx: ComponentContext,
): Promise<string> {
  if (contentField !== '') return contentField
  if (!autodetect) return 'content'
  const command = { findOne: { projection: { '*': 1, $vector: 0 } } }
  const { data } = await astraCommand(access, { collection: name, command }, ctx)
  const document = isObject(data) && isObject(data.document) ? data.document : {}
  const known = ['content', 'page_content', 'text']
  return known.find((field) => textIn(document[field]) !== '') ?? 'content'
}
