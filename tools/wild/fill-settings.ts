/** A node of a flow file, as far as it is filled here. */
interface FileNode {
  readonly id?: string
  readonly data?: {
    readonly type?: string
    readonly node?: { readonly template?: Record<string, unknown>; readonly edited?: boolean }
  }
}

interface TemplateField {
  type?: string
  value?: unknown
  show?: boolean
  file_path?: unknown
  required?: boolean
  password?: boolean
  load_from_db?: boolean
}

/** What the flows name of the outside: the fake world has it. */
export interface Named {
  /** Values by name. */
  readonly variables: Map<string, string>
  readonly databases: Set<string>
  /** True for those that are used without a model of embeddings. */
  readonly collections: Map<string, boolean>
  readonly tools: Set<string>
}

/**
 * Fills what only the author had: required text fields that are blank (addresses, collections, projects) and
 * the files of file fields, with `path`. Secrets stay blank: they come from the environment. Adds to `named`
 * the variables, databases, collections and tools that the flow names.
 */
export function fillSettings(data: unknown, path: string, named: Named): void {
  for (const node of nodesOf(data)) {
    const template = node.data?.node?.template ?? {}
    const isAlone = !hasEmbeddings(data, node.id)
    for (const [name, field] of Object.entries(template)) {
      if (typeof field !== 'object' || field === null) continue
      fillField(name, field, { path, isChat: node.data?.type === 'ChatInput' })
      // Components of authors look no key up: a person types it.
      const { password, value }: TemplateField = field
      if (password === true && !isAddress(name) && node.data?.node?.edited === true && !value)
        Object.assign(field, { value: '(a key)', load_from_db: false })
      note(name, field, { named, isAlone })
    }
  }
}

function note(
  name: string,
  { value, load_from_db: loads }: TemplateField,
  { named, isAlone }: { readonly named: Named; readonly isAlone: boolean },
): void {
  if (Array.isArray(value) && name === 'tools_metadata')
    for (const { name: tool } of value) named.tools.add(String(tool))
  if (typeof value !== 'string' || value === '') return
  if (loads === true) named.variables.set(value, isAddress(name) ? ADDRESS : 'items')
  if (name === 'database_name') named.databases.add(value)
  if (name === 'collection_name') named.collections.set(value, isAlone)
  if (name === 'tool') named.tools.add(value)
}

/** A problem that the check of a flow lists. */
export interface CheckProblem {
  readonly severity: string
  readonly code: string
  readonly message: string
  readonly node_id: string | null
  readonly field: string | null
  readonly variable?: string
}

/** Chooses in the nodes the variables that the check asks for, as a person does. True if there are any. */
export function chooseVariables(data: unknown, problems: readonly CheckProblem[]): boolean {
  const wanted = problems.filter(({ code, variable }) => code === 'missing_key' && variable)
  for (const { node_id: id, field, variable } of wanted) {
    const node = nodesOf(data).find((one) => one.id === id)
    const found = node?.data?.node?.template?.[field ?? '']
    if (typeof found === 'object' && found !== null)
      Object.assign(found, { value: variable, load_from_db: true })
  }
  return wanted.length > 0
}

function hasEmbeddings(data: unknown, id: string | undefined): boolean {
  const edges = (data as { edges?: readonly { target?: string; targetHandle?: unknown }[] }).edges
  return (edges ?? []).some(
    ({ target, targetHandle }) => target === id && String(targetHandle).includes('embedding'),
  )
}

function nodesOf(data: unknown): readonly FileNode[] {
  const nodes = (data as { nodes?: unknown } | undefined)?.nodes
  return Array.isArray(nodes)
    ? nodes.filter((node) => typeof node === 'object' && node !== null)
    : []
}

const PLACE = /^(?:database|collection)_name$/

const ADDRESS = 'https://service.openai.azure.com'

const DATABASE = 'https://fake-here.apps.astra.datastax.com'

const isAddress = (name: string): boolean => /url|endpoint|host|base$/i.test(name)

function fillField(
  name: string,
  field: TemplateField,
  { path, isChat }: { readonly path: string; readonly isChat: boolean },
): void {
  // The files of a message are the caller's.
  if (field.type === 'file' && name === 'files') return
  if (field.type === 'file') {
    const list = Array.isArray(field.value) || Array.isArray(field.file_path)
    field.file_path = list ? [path] : path
    return
  }
  if (PLACE.test(name)) field.show = true
  if (name === 'input_value' && field.value === '' && !isChat) field.value = 'Hello'
  const isBlank = field.value === '' || field.value === undefined || field.value === null
  const isBlankText = field.type === 'str' && isBlank
  if (!isBlankText || (field.password === true && !isAddress(name))) return
  if (field.required !== true && !PLACE.test(name)) return
  field.load_from_db = false
  field.value = isAddress(name) ? (name === 'api_endpoint' ? DATABASE : ADDRESS) : 'items'
}
