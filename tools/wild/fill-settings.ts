/** A node of a flow file, as far as it is filled here. */
interface FileNode {
  readonly data?: { readonly node?: { readonly template?: Record<string, unknown> } }
}

interface TemplateField {
  type?: string
  value?: unknown
  file_path?: unknown
  required?: boolean
  password?: boolean
  load_from_db?: boolean
}

/**
 * Fills what only the author had: required text fields that are blank (addresses, collections, projects) and
 * the files of file fields, with `path`. Secrets stay blank: they come from the environment.
 */
export function fillSettings(data: unknown, path: string): void {
  for (const node of nodesOf(data)) {
    for (const [name, field] of Object.entries(node.data?.node?.template ?? {})) {
      if (typeof field !== 'object' || field === null) continue
      fillField(name, field, path)
    }
  }
}

function nodesOf(data: unknown): readonly FileNode[] {
  const nodes = (data as { nodes?: unknown } | undefined)?.nodes
  return Array.isArray(nodes)
    ? nodes.filter((node) => typeof node === 'object' && node !== null)
    : []
}

function fillField(name: string, field: TemplateField, path: string): void {
  if (field.type === 'file') {
    const list = Array.isArray(field.value) || Array.isArray(field.file_path)
    field.file_path = list ? [path] : path
    return
  }
  const isBlankText = field.type === 'str' && (field.value === '' || field.value === undefined)
  if (!isBlankText || field.required !== true || field.password === true) return
  if (field.load_from_db === true) return
  field.value = /url|endpoint|host/i.test(name) ? 'https://service.example' : 'items'
}
