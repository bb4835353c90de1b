import { listScim } from './api.ts'
import { byId, field, make, onSubmit } from './elements.ts'

interface ScimUser {
  readonly userName: string
  readonly displayName?: string
  readonly active?: boolean
}

interface ScimGroup {
  readonly displayName: string
  readonly members?: readonly unknown[]
}

/** Shows users and groups to whoever has the directory's token. */
export function setUpDirectory(): void {
  onSubmit('scim', async (fields) => {
    const token = field(fields, 'token')
    const users = await listScim<ScimUser>('/Users?count=100', token)
    const groups = await listScim<ScimGroup>('/Groups?count=100', token)
    fill(
      'scim-users',
      ['User name', 'Name', 'Active'],
      users.map(({ userName, displayName = '', active }) => [
        userName,
        displayName,
        active === true ? 'yes' : 'no',
      ]),
    )
    fill(
      'scim-groups',
      ['Group', 'Members'],
      groups.map(({ displayName, members = [] }) => [displayName, String(members.length)]),
    )
  })
}

function fill(id: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  byId(id, HTMLTableElement).replaceChildren(
    tableRow('th', head),
    ...rows.map((cells) => tableRow('td', cells)),
  )
}

function tableRow(kind: 'th' | 'td', cells: readonly string[]): HTMLTableRowElement {
  const row = make('tr')
  row.append(...cells.map((cell) => make(kind, cell)))
  return row
}
