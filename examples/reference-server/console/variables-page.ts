import { call } from './api.ts'
import { attempt, field, form, labelled, make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { tableOf } from './table.ts'

interface Variable {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly value: string | null
}

/** Variables used by fields of flows, such as keys of model vendors. */
export const variablesPage: ConsolePage = {
  name: 'variables',
  title: 'Variables',
  async open(section) {
    const list = make('div')
    const create = form(
      'New variable',
      [
        labelled('Name', { name: 'name', required: '', placeholder: 'OPENAI_API_KEY' }),
        labelled('Value', { name: 'value', type: 'password', required: '', autocomplete: 'off' }),
      ],
      'Store as a secret',
    )
    create.onsend(async (fields) => {
      const [name, value] = [field(fields, 'name'), field(fields, 'value')]
      const body = JSON.stringify({ name, value, type: 'Credential', default_fields: [] })
      await call('/variables/', { method: 'POST', body })
      create.element.reset()
      await show(list)
    })
    const text =
      'Flows name a variable where a secret is needed; only you and your flows can use it.'
    replaceBelowTitle(section, [make('p', text, { class: 'lead' }), create.element, list])
    await show(list)
  },
}

async function show(list: HTMLElement): Promise<void> {
  const variables = (await (await call('/variables/')).json()) as Variable[]
  const rows = variables.map(({ id, name, type, value }) => {
    const remove = make('button', 'Delete', {
      type: 'button',
      class: 'quiet',
      'aria-label': `Delete ${name}`,
    })
    remove.addEventListener('click', () =>
      attempt(async () => {
        await call(`/variables/${id}`, { method: 'DELETE' })
        await show(list)
      }),
    )
    const isSecret = type === 'Credential'
    return [name, isSecret ? 'secret' : 'text', isSecret ? '••••••' : (value ?? ''), remove]
  })
  const head = ['Name', 'Kind', 'Value', 'Delete']
  list.replaceChildren(tableOf('Your variables', head, rows, 'You have no variables yet.'))
}
