// Writes the table of hashes of released components: node --import tsx --conditions=@x/source tools/released-code.ts FOLDER
// FOLDER has the unpacked wheels, one folder each. Fields of which ours knows neither the name nor a former one
// follow the hashes: a node that uses one of them runs its own code.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, type Component, type FlowNode } from '@x/flow-engine'
import { plainCode } from '../packages/flow-engine/src/components/node/plain-code.ts'
import { codeHash } from '../packages/flow-engine/src/components/registry/catalogue.ts'
import { formerFields } from '../packages/flow-engine/src/components/registry/former-fields.ts'

/** Fields that only the editor or a log uses, and choices whose other values are refused by name. */
const WITHOUT_EFFECT = new Set(
  `verbose background_color chat_icon text_color stream use_global_variable provider clean_data
  new_database_name cloud_provider region new_collection_name embedding_generation_provider
  embedding_generation_model d_api_endpoint dimension embedding_choice new_kb_name embedding_model
  knowledge_backend grpc_host grpc_port space_id aws_access_key_id aws_secret_access_key bucket_name
  aws_region s3_file_key service_account_key file_id use_curl base_url_ibm_watsonx project_id
  setup_mode batch_size bulk_insert_batch_concurrency bulk_insert_overwrite_concurrency
  bulk_delete_concurrency user_agent input_type search_type temperature multiple embedding_service embedding_provider model metric
  metadata_indexing_include metadata_indexing_exclude collection_indexing_policy z_00_model_name
  z_01_model_parameters z_02_api_key_name z_03_provider_api_key z_04_authentication`.split(/\s+/),
)
const TABLE = 'packages/flow-engine/src/components/node/released-code.json'

const folder = process.argv[2]
if (folder === undefined) throw new TypeError('Name the folder with the unpacked wheels')
const registry = createRegistry(builtinComponents)
const found = new Map<string, Set<string>>()
const unknown = new Map<string, Set<string>>()
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.py')) continue
  const code = readFileSync(join(entry.parentPath, entry.name), 'utf8')
  const component = componentOf(code)
  if (component === undefined) continue
  const { type } = component
  found.set(type, (found.get(type) ?? new Set()).add(codeHash(plainCode(code))))
  for (const name of fieldsOf(code))
    if (!isKnown(component, name)) unknown.set(type, (unknown.get(type) ?? new Set()).add(name))
}
const table = JSON.parse(readFileSync(TABLE, 'utf8')) as Record<string, string>
const rows = [...new Set([...Object.keys(table), ...found.keys()])].toSorted().map((type) => {
  const [exact = ''] = (table[type] ?? '').split(' ')
  const plain = [...(found.get(type) ?? [])].toSorted().join('')
  const fields = [...(unknown.get(type) ?? [])].toSorted().join(',')
  return [type, `${exact} ${plain} ${fields}`.trimEnd()]
})
writeFileSync(TABLE, `${JSON.stringify(Object.fromEntries(rows))}\n`)
const count = [...found.values()].reduce((sum, hashes) => sum + hashes.size, 0)
console.log(`${count} texts of ${found.size} types`)

/** The built-in component of a file: by the name that the class gives itself, else by that of the class. */
function componentOf(code: string): Component | undefined {
  const classes = [...code.matchAll(/^class (\w+)\([^)]*(?:Component|LC|Model)/gm)]
  const names = [...code.matchAll(/^ {4}name(?:: str)? = "([^"]+)"/gm), ...classes]
  if (classes.length === 0) return undefined
  for (const [, type = ''] of names) {
    const component = registry.resolve({ id: '', data: { type } } as FlowNode)
    if (component !== undefined) return component
  }
  return undefined
}

function fieldsOf(code: string): string[] {
  const calls = code.matchAll(/\b\w*Input\(\s*(?:\w+="[^"]*",\s*)*?name="([^"]+)"/g)
  return [...new Set([...calls].map(([, name = '']) => name))]
}

function isKnown({ type, inputs, furtherFields }: Component, name: string): boolean {
  return (
    furtherFields === true ||
    Object.hasOwn(inputs, name) ||
    formerFields(type).has(name) ||
    WITHOUT_EFFECT.has(name)
  )
}
