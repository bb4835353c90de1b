import { isObject } from '@x/wire'
import { FlowError } from '../../../errors.ts'
import { doubleBraceNames } from '../../text/double-braces.ts'
import { templateNames } from '../../text/format-template.ts'
import { templateField } from '../../node/create-node.ts'
import type { NodeTemplate, TemplateField } from '../../../graph/flow/node-json.ts'

const RESERVED = new Set([
  'code',
  'input_variables',
  'output_parser',
  'partial_variables',
  'template',
  'template_format',
  'validate_template',
])

/** The placeholder syntax. */
export interface PromptSyntax {
  /** True if placeholders are `{{name}}` instead of `{name}`. Default false. */
  readonly mustache?: boolean | undefined
}

/**
 * Returns the validated variables of a prompt template.
 * @throws FlowError `invalid_request` with the text shown in the editor
 */
export function promptVariables(
  template: string,
  { mustache = false }: PromptSyntax = {},
): string[] {
  const names = mustache ? readNames(template, doubleBraceNames) : readNames(template)
  const invalid = names.filter((name) => /^\d|[\s,.:;!?/\\()[\]]/u.test(name))
  if (invalid.length > 0) {
    const hint = mustache ? '' : '\nWrite braces that are text twice: {{ and }}.'
    throw new FlowError(
      'invalid_request',
      `Error: Input variables contain invalid characters or formats. \nInvalid variables: ${invalid.join(', ')}.${hint}`,
    )
  }
  if (names.some((name) => RESERVED.has(name))) {
    throw new FlowError(
      'invalid_request',
      `Invalid input variables. None of the variables can be named ${names.join(', ')}. `,
    )
  }
  return names
}

/** The template and `custom_fields` of a node after its prompt changed. */
export interface PromptUpdate {
  readonly variables: string[]
  readonly template: NodeTemplate
  readonly customFields: Record<string, string[]>
}

/**
 * Adds a field for each new variable of the prompt and removes the fields of removed variables. Other fields
 * keep their values.
 * @param name the prompt field; "" refers to the only list in `customFields`, if there is exactly one
 */
export function updatePromptFields(
  node: { readonly template: NodeTemplate; readonly customFields: unknown },
  name: string,
  prompt: string,
  syntax: PromptSyntax = {},
): PromptUpdate {
  const variables = promptVariables(prompt, syntax)
  const lists = readLists(node.customFields)
  const [only, ...others] = Object.keys(lists)
  const key = name === '' && only !== undefined && others.length === 0 ? only : name
  const known = Object.hasOwn(lists, key) ? (lists[key] ?? []) : []
  const gone = new Set(known.filter((field) => !variables.includes(field)))
  const kept = Object.entries(node.template).filter(([field]) => !gone.has(field))
  const template = Object.assign(Object.create(null) as NodeTemplate, Object.fromEntries(kept))
  for (const variable of variables) {
    template[variable] = promptField(variable, templateField(node.template, variable)?.value)
  }
  const counted = templateField(template, 'input_variables')
  if (counted !== undefined) template.input_variables = { ...counted, value: variables }
  return { variables, template, customFields: { ...lists, [key]: variables } }
}

/**
 * Switches the type of the prompt field and replaces the fields of the old syntax by those of the new one. An
 * invalid template has no variables.
 */
export function switchBraces(
  node: { readonly template: NodeTemplate; readonly customFields: unknown },
  mustache: boolean,
): Pick<PromptUpdate, 'template' | 'customFields'> {
  const prompt = templateField(node.template, 'template')
  const text = typeof prompt?.value === 'string' ? prompt.value : ''
  const updated = (given: string): PromptUpdate =>
    updatePromptFields(node, 'template', given, { mustache })
  let update: PromptUpdate
  try {
    update = updated(text)
  } catch {
    update = updated('')
  }
  const { template, customFields } = update
  if (prompt !== undefined)
    template.template = { ...prompt, type: mustache ? 'mustache' : 'prompt' }
  return { template, customFields }
}

function promptField(name: string, value: unknown): TemplateField {
  return {
    field_type: 'str',
    type: 'str',
    name,
    display_name: name,
    value: value ?? '',
    required: false,
    placeholder: '',
    list: false,
    show: true,
    multiline: true,
    fileTypes: [],
    file_path: '',
    advanced: false,
    input_types: ['Message'],
    dynamic: false,
    info: '',
    load_from_db: false,
    title_case: false,
  }
}

function readLists(value: unknown): Record<string, string[]> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([key, list]) => [
      key,
      Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [],
    ]),
  )
}

/**
 * The name is everything up to a conversion or format spec, so that `{a.b}` is rejected because of its dot.
 */
function readNames(
  template: string,
  names: (template: string) => string[] = templateNames,
): string[] {
  try {
    return names(template)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new FlowError('invalid_request', error.message, { cause: error })
  }
}
