import type { Preview, Received, User } from '../api.ts'
import { foreign, h, pretty } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'
import { searchedTable } from './searched-table.ts'

/** Users by name and state; each opens to what was sent, what is stored and what the host shows. */
export function usersView(page: ConnectionPage): HTMLElement {
  const { ask, say, signal } = page
  const states = ['all', 'in', 'out'] as const
  return searchedTable<User>(page, {
    part: 'user',
    title: say('users'),
    columns: [say('user'), say('state'), say('since'), say('groups')],
    filter: {
      part: 'user-filter',
      name: 'state',
      label: say('show'),
      options: states.map((state) => [state, say(state)]),
    },
    async load(query) {
      const path = `/users?${query.toString()}`
      const { users: rows, next } = await ask<{ users: User[]; next: string | null }>('GET', path, {
        signal,
      })
      return { rows, next }
    },
    row: (user) => userRow(page, user),
  })
}

function userRow(page: ConnectionPage, user: User): HTMLElement {
  const { say, when, canManage } = page
  const row: HTMLElement = h(
    'tr',
    { 'data-part': 'user', 'data-id': user.id },
    h(
      'td',
      {},
      canManage
        ? h(
            'button',
            {
              type: 'button',
              class: 'plain',
              'aria-expanded': 'false',
              click: (event) => void toggle(page, user, row, event.currentTarget as HTMLElement),
            },
            foreign(user.userName),
          )
        : foreign(user.userName),
      user.displayName !== null && h('div', { class: 'note' }, foreign(user.displayName)),
    ),
    h('td', { 'data-part': 'user-state' }, say(user.state)),
    h('td', {}, user.since === null ? '' : when(user.since)),
    h('td', {}, foreign(user.groups.join(', '))),
  )
  return row
}

async function toggle(
  page: ConnectionPage,
  { id }: User,
  row: HTMLElement,
  opener: HTMLElement,
): Promise<void> {
  const open = opener.getAttribute('aria-expanded') === 'true'
  opener.setAttribute('aria-expanded', String(!open))
  if (open) {
    row.nextElementSibling?.remove()
    return
  }
  const cell = h('td', { colspan: '4' }, page.say('loading'))
  row.after(h('tr', { class: 'details' }, cell))
  await page.attempt(async () => cell.replaceChildren(...(await details(page, id))))
}

async function details(
  { ask, say, words, connection, session, signal }: ConnectionPage,
  id: string,
): Promise<HTMLElement[]> {
  const path = `/connections/${connection.id}/received`
  const { received } = await ask<{ received: readonly Received[] }>('GET', path, { signal })
  const found = received.find(({ userId }) => userId === id)
  if (found === undefined) return [h('p', {}, say('no_body'))]
  const preview = await ask<Preview>('GET', `${path}/${encodeURIComponent(found.requestId)}`, {
    signal,
  })
  const block = (part: string, label: string, value: unknown): HTMLElement =>
    h(
      'div',
      {},
      h('h2', {}, label),
      h('pre', { 'data-part': part, tabindex: '0' }, foreign(pretty(value))),
    )
  const reasons: Readonly<Record<string, string>> = words.reasons
  return [
    block('raw', say('received'), preview.raw),
    block('stored', say('stored_now'), preview.stored),
    h(
      'div',
      {},
      h('h2', {}, say('host', { app: session.app.name })),
      h(
        'dl',
        { 'data-part': 'host' },
        ...preview.host.flatMap(({ label, value }) => [
          h('dt', {}, label),
          h('dd', {}, foreign(value)),
        ]),
      ),
    ),
    h(
      'div',
      {},
      h('h2', {}, say('ignored')),
      h(
        'ul',
        {},
        ...preview.ignored.map(({ path: at, reason }) =>
          h(
            'li',
            { 'data-part': 'ignored', 'data-path': at },
            foreign(at),
            `: ${reasons[reason] ?? reason}`,
          ),
        ),
      ),
    ),
  ]
}
