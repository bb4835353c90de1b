import { Refused, type Preview, type Received, type User } from '../api.ts'
import { button, choice, foreign, h, labelled, pretty } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'

/** Users by name and state; each opens to what was sent, what is stored and what the host shows. */
export function usersView(page: ConnectionPage): HTMLElement {
  const { ask, say, tell, signal } = page
  const rows = h('tbody')
  const more = h('p')
  let [search, state] = ['', 'all']
  const load = async (after: string | null): Promise<void> => {
    const query = new URLSearchParams({ state })
    if (search.trim() !== '') query.set('search', search.trim())
    if (after !== null) query.set('after', after)
    try {
      const path = `/users?${query.toString()}`
      const found = await ask<{ users: readonly User[]; next: string | null }>('GET', path, {
        signal,
      })
      if (after === null) rows.replaceChildren()
      for (const user of found.users) rows.append(userRow(page, user))
      const { next } = found
      more.replaceChildren(
        ...(rows.childElementCount === 0 ? [say('nothing')] : []),
        ...(next === null ? [] : [button('more', say('more'), () => load(next))]),
      )
    } catch (error) {
      if (!signal.aborted) tell(error)
    }
  }
  const field = h('input', { type: 'search', 'data-part': 'user-search' })
  field.addEventListener('change', () => {
    search = field.value
    void load(null)
  })
  void load(null)
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, say('users')),
    h(
      'div',
      { class: 'filters' },
      labelled(say('search'), field),
      labelled(
        say('show'),
        choice(
          'user-filter',
          [
            ['all', say('all')],
            ['in', say('in')],
            ['out', say('out')],
          ],
          {
            value: state,
            change(value) {
              state = value
              void load(null)
            },
          },
        ),
      ),
    ),
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('users') },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...[say('user'), say('state'), say('since'), say('groups')].map((label) =>
              h('th', { scope: 'col' }, label),
            ),
          ),
        ),
        rows,
      ),
    ),
    more,
  )
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
  try {
    cell.replaceChildren(...(await details(page, id)))
  } catch (error) {
    if (error instanceof Refused || !page.signal.aborted) page.tell(error)
  }
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
