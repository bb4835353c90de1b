import { call } from './api.ts'
import { copyable } from './copyable.ts'
import { attempt, field, form, labelled, make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { moment, tableOf } from './table.ts'

interface ApiKey {
  readonly id: string
  readonly name: string | null
  readonly api_key: string
  readonly created_at: string | null
  readonly last_used_at: string | null
  readonly total_uses: number
}

/** The API keys of this user. */
export const keysPage: ConsolePage = {
  name: 'keys',
  title: 'API keys',
  async open(section) {
    const list = make('div')
    const made = make('div', '', { role: 'status' })
    const create = form('New key', [labelled('Name', { name: 'name', required: '' })], 'Create key')
    create.onsend(async (fields) => {
      const body = JSON.stringify({ name: field(fields, 'name') })
      const answer = await call('/api_key/', { method: 'POST', body })
      const { api_key: key } = (await answer.json()) as { api_key: string }
      made.replaceChildren(
        make('p', 'Copy the key now: it is shown once.'),
        copyable(key, 'Copy the new key'),
      )
      create.element.reset()
      await show(list)
    })
    replaceBelowTitle(section, [
      make('p', 'A program sends its key in the header x-api-key.', { class: 'lead' }),
      create.element,
      made,
      list,
    ])
    await show(list)
  },
  // A key is shown once.
  leave: (section) => replaceBelowTitle(section, []),
}

async function show(list: HTMLElement): Promise<void> {
  const { api_keys: keys } = (await (await call('/api_key/')).json()) as { api_keys: ApiKey[] }
  const rows = keys.map(({ id, name, api_key: start, created_at, last_used_at, total_uses }) => {
    const revoke = make('button', 'Revoke', {
      type: 'button',
      class: 'quiet',
      'aria-label': `Revoke ${name ?? start}`,
    })
    revoke.addEventListener('click', () =>
      attempt(async () => {
        await call(`/api_key/${id}`, { method: 'DELETE' })
        await show(list)
      }),
    )
    return [
      name ?? '',
      start.replace(/\*+$/, '…'),
      moment(created_at),
      moment(last_used_at),
      `${total_uses}`,
      revoke,
    ]
  })
  const head = ['Name', 'Key', 'Created', 'Last used', 'Uses', 'Revoke']
  list.replaceChildren(tableOf('Your API keys', head, rows, 'You have no keys yet.'))
}
