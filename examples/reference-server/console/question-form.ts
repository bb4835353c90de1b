import { attempt, field, make } from './elements.ts'

/** An open question of a build, as listed by the service. */
export interface OpenQuestion {
  readonly job_id: string
  readonly request_id: string
  readonly flow_id: string
  readonly kind: string
  readonly prompt: string | null
  readonly options: readonly { readonly action_id: string; readonly label: string }[]
  readonly schema: Schema | null
  readonly created_at: string
  readonly expires_at: string | null
  readonly action_requests?: readonly { readonly name: string; readonly args: unknown }[]
}

/** The parts of a JSON Schema used by a form. */
interface Schema {
  readonly type?: string
  readonly title?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** The `decision` of an answer. */
export type Decision = Readonly<Record<string, unknown>>

/** A form to answer a question: a button for each choice, else fields and one button. */
export function questionForm(
  question: OpenQuestion,
  label: string,
  decide: (decision: Decision) => Promise<void>,
): HTMLFormElement {
  const form = make('form', '', { 'aria-label': label, class: 'question' })
  const { options, schema } = question
  if (options.length > 0) {
    form.append(...approvalFields(question), ...choices(question))
  } else {
    form.append(...fieldsOf(schema), make('button', 'Answer'))
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const action = event.submitter?.getAttribute('value') ?? ''
    attempt(() => decide(options.length > 0 ? decisionOf(form, action) : answerOf(form, schema)))
  })
  return form
}

function choices({ options }: OpenQuestion): HTMLButtonElement[] {
  return options.map(({ action_id: id, label }, index) =>
    make('button', label, { value: id, ...(index === 0 ? {} : { class: 'quiet' }) }),
  )
}

/** For a tool call: its arguments, and a reply to the model. */
function approvalFields({
  kind,
  options,
  action_requests: calls = [],
}: OpenQuestion): HTMLElement[] {
  if (kind !== 'tool_approval') return []
  const offers = (...ids: readonly string[]): boolean =>
    options.some(({ action_id: id }) => ids.includes(id))
  const parts: HTMLElement[] = []
  const args = JSON.stringify(calls[0]?.args ?? {}, null, 2)
  if (offers('edit')) parts.push(area('Arguments (JSON)', 'args', args))
  else parts.push(make('pre', args))
  if (offers('reject', 'respond')) parts.push(area('Message to the model', 'message', ''))
  return parts
}

function decisionOf(form: HTMLFormElement, action: string): Decision {
  const fields = new FormData(form)
  if (action === 'edit')
    return { action_id: action, values: { args: jsonOf(field(fields, 'args')) } }
  const message = field(fields, 'message')
  return { action_id: action, ...(message === '' ? {} : { values: { message } }) }
}

/** One field for each property; a single text field without a schema. */
function fieldsOf(schema: Schema | null): HTMLElement[] {
  if (schema === null) return [area('Your answer', 'answer', '')]
  const { properties, required = [] } = schema
  if (properties === undefined) return [area('Your answer (JSON)', 'answer', '')]
  return Object.entries(properties).map(([name, inner]) => fieldOf(name, inner, required))
}

function fieldOf(name: string, schema: Schema, required: readonly string[]): HTMLElement {
  const { title = name, type, default: initial } = schema
  if (schema.enum !== undefined) {
    const label = make('label', title)
    const select = make('select', '', { name })
    for (const value of schema.enum)
      select.append(make('option', String(value), { value: JSON.stringify(value) }))
    label.append(select)
    return label
  }
  if (type === 'boolean') {
    const label = make('label', title, { class: 'check' })
    const box = make('input', '', { type: 'checkbox', name })
    box.checked = initial === true
    label.prepend(box)
    return label
  }
  const isNumber = type === 'number' || type === 'integer'
  if (type !== 'string' && !isNumber) return area(`${title} (JSON)`, name, '')
  const label = make('label', title)
  const input = make('input', '', {
    name,
    autocomplete: 'off',
    ...(isNumber ? { type: 'number', step: type === 'integer' ? '1' : 'any' } : {}),
    ...(required.includes(name) && isNumber ? { required: '' } : {}),
  })
  input.value = typeof initial === 'string' || typeof initial === 'number' ? String(initial) : ''
  label.append(input)
  return label
}

function answerOf(form: HTMLFormElement, schema: Schema | null): Decision {
  const fields = new FormData(form)
  if (schema === null) return { value: field(fields, 'answer') }
  const { properties, required = [] } = schema
  if (properties === undefined) return { value: jsonOf(field(fields, 'answer')) }
  const entries = Object.entries(properties).flatMap(([name, inner]): [string, unknown][] => {
    const value = valueOf(fields, name, inner)
    // Empty fields are omitted, so that defaults apply.
    return value === undefined || (value === '' && !required.includes(name)) ? [] : [[name, value]]
  })
  return { value: Object.fromEntries(entries) }
}

function valueOf(fields: FormData, name: string, schema: Schema): unknown {
  const text = field(fields, name)
  if (schema.type === 'boolean') return fields.has(name)
  if (schema.enum === undefined && schema.type === 'string') return text
  return text === '' ? undefined : jsonOf(text)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`This is not JSON: ${text.slice(0, 60)}`)
  }
}

function area(label: string, name: string, text: string): HTMLLabelElement {
  const made = make('label', label)
  const input = make('textarea', '', { name, rows: text === '' ? '2' : '5' })
  input.value = text
  made.append(input)
  return made
}
