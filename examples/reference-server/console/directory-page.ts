import { call, listScim } from './api.ts'
import { field, form, labelled, make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { moment, tableOf } from './table.ts'

interface ListedUser {
  readonly username: string
  readonly is_active: boolean
  readonly is_superuser: boolean
  readonly last_login_at: string | null
}

interface ScimUser {
  readonly userName: string
  readonly displayName?: string
  readonly active?: boolean
}

interface ScimGroup {
  readonly displayName: string
  readonly members?: readonly unknown[]
}

const yesNo = (is: boolean): string => (is ? 'yes' : 'no')
const MOST = 100

/** The users of the service, and what an identity provider sees with its token. */
export const directoryPage: ConsolePage = {
  name: 'directory',
  title: 'Directory',
  forSuperusers: true,
  async open(section) {
    const { total_count: count, users } = (await (await call(`/users/?limit=${MOST}`)).json()) as {
      total_count: number
      users: ListedUser[]
    }
    const rows = users.map(({ username, is_active, is_superuser, last_login_at }) => [
      username,
      yesNo(is_active),
      yesNo(is_superuser),
      moment(last_login_at),
    ])
    const found = make('div', '', { role: 'status' })
    const scim = form(
      'SCIM token',
      [
        labelled('SCIM token', {
          name: 'token',
          type: 'password',
          required: '',
          autocomplete: 'off',
        }),
      ],
      'Show',
    )
    scim.onsend(async (fields) => showScim(found, field(fields, 'token')))
    replaceBelowTitle(section, [
      make('p', count > MOST ? `The first ${MOST} of ${count} users.` : `${count} users.`, {
        class: 'lead',
      }),
      tableOf('Users', ['User name', 'Active', 'Superuser', 'Last sign-in'], rows, 'No users.'),
      make('h3', 'As the identity provider sees it'),
      make('p', 'Users and groups over SCIM, with the token that the provider uses.', {
        class: 'lead',
      }),
      scim.element,
      found,
    ])
  },
}

async function showScim(found: HTMLElement, token: string): Promise<void> {
  const users = await listScim<ScimUser>(`/Users?count=${MOST}`, token)
  const groups = await listScim<ScimGroup>(`/Groups?count=${MOST}`, token)
  found.replaceChildren(
    tableOf(
      'Provisioned users',
      ['User name', 'Name', 'Active'],
      users.map(({ userName, displayName = '', active }) => [
        userName,
        displayName,
        yesNo(active === true),
      ]),
      'No user has been provisioned yet.',
    ),
    tableOf(
      'Provisioned groups',
      ['Group', 'Members'],
      groups.map(({ displayName, members = [] }) => [displayName, String(members.length)]),
      'No group has been provisioned yet.',
    ),
  )
}
