import { call } from './api.ts'
import { attempt, make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { moment, tableOf, type Cell } from './table.ts'

interface ListedUser {
  readonly username: string
  readonly is_active: boolean
  readonly is_superuser: boolean
  readonly last_login_at: string | null
}

/** One page of provisioned users or groups. */
interface Provisioned {
  readonly enabled: boolean
  readonly tenants: readonly string[]
  readonly total: number
  readonly users?: readonly {
    readonly userName: string
    readonly displayName: string | null
    readonly active: boolean
  }[]
  readonly groups?: readonly { readonly displayName: string; readonly members: number }[]
}

const yesNo = (is: boolean): string => (is ? 'yes' : 'no')
const MAX_SHOWN = 100
const PAGE = 50

/** Lists the users of the service, and what identity providers have provisioned. */
export const directoryPage: ConsolePage = {
  name: 'directory',
  title: 'Directory',
  forSuperusers: true,
  async open(section) {
    const { total_count: count, users } = (await (
      await call(`/users/?limit=${MAX_SHOWN}`)
    ).json()) as {
      total_count: number
      users: ListedUser[]
    }
    const rows = users.map(({ username, is_active, is_superuser, last_login_at }) => [
      username,
      yesNo(is_active),
      yesNo(is_superuser),
      moment(last_login_at),
    ])
    const { enabled, tenants, total } = await provisioned('users', { count: 1 })
    const tables = make('div')
    const choice = make('label', 'Tenant ')
    const select = make('select')
    select.append(...tenants.map((name) => make('option', name)))
    select.addEventListener('change', () => attempt(() => showTenant(tables, select.value)))
    choice.append(select)
    choice.hidden = tenants.length < 2
    replaceBelowTitle(section, [
      make('p', countOf(count), { class: 'lead' }),
      tableOf('Users', ['User name', 'Active', 'Superuser', 'Last sign-in'], rows, 'No users.'),
      make('h3', 'Provisioned over SCIM'),
      make('p', enabled ? 'What identity providers have created.' : OFF, { class: 'lead' }),
      choice,
      tables,
    ])
    if (enabled || total > 0) await showTenant(tables, select.value)
  },
}

function countOf(users: number): string {
  if (users > MAX_SHOWN) return `The first ${MAX_SHOWN} of ${users} users.`
  return users === 1 ? '1 user.' : `${users} users.`
}

const OFF = 'Provisioning is off. Set SCIM_ENABLED=true and SCIM_TOKEN to switch it on.'

async function provisioned(
  kind: 'users' | 'groups',
  query: Readonly<Record<string, string | number>>,
): Promise<Provisioned> {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString()
  return (await (await call(`/scim/directory/${kind}?${text}`)).json()) as Provisioned
}

async function showTenant(tables: HTMLElement, tenant: string): Promise<void> {
  const users = paged('Provisioned users', async (startIndex) => {
    const page = await provisioned('users', { tenant, startIndex, count: PAGE })
    const rows = (page.users ?? []).map(({ userName, displayName, active }) => [
      userName,
      displayName ?? '',
      yesNo(active),
    ])
    return {
      total: page.total,
      table: tableOf(
        'Provisioned users',
        ['User name', 'Name', 'Active'],
        rows,
        'No user has been provisioned yet.',
      ),
    }
  })
  const groups = paged('Provisioned groups', async (startIndex) => {
    const page = await provisioned('groups', { tenant, startIndex, count: PAGE })
    const rows: Cell[][] = (page.groups ?? []).map(({ displayName, members }) => [
      displayName,
      String(members),
    ])
    return {
      total: page.total,
      table: tableOf(
        'Provisioned groups',
        ['Group', 'Members'],
        rows,
        'No group has been provisioned yet.',
      ),
    }
  })
  tables.replaceChildren(...(await Promise.all([users, groups])))
}

/** A table, with buttons to its other pages if it has more than one. */
async function paged(
  label: string,
  load: (startIndex: number) => Promise<{ readonly total: number; readonly table: HTMLElement }>,
): Promise<HTMLElement> {
  const box = make('div')
  const show = async (start: number): Promise<void> => {
    const { total, table } = await load(start)
    const buttons = make('p', '', { class: 'pages' })
    const turn = (text: string, to: number, possible: boolean): void => {
      const button = make('button', text, { type: 'button', class: 'quiet' })
      button.setAttribute('aria-label', `${text}: ${label}`)
      button.disabled = !possible
      button.addEventListener('click', () => attempt(() => show(to)))
      buttons.append(button)
    }
    turn('Previous', start - PAGE, start > 1)
    turn('Next', start + PAGE, start + PAGE <= total)
    buttons.append(`${start} to ${Math.min(total, start + PAGE - 1)} of ${total}`)
    buttons.hidden = total <= PAGE
    box.replaceChildren(make('h4', label), table, buttons)
  }
  await show(1)
  return box
}
