import type { Connection, Provider, Secret } from '../api.ts'
import { button, foreign, h } from '../dom.ts'
import type { PortalView } from '../portal-view.ts'

/** Connections, and the choice of a directory for another one. */
export async function chooseView(view: PortalView, isAdding: boolean): Promise<HTMLElement> {
  const { ask, say, go, attempt, secret, canManage, language } = view
  const { tenant, tenantName, app } = view.session
  const { connections } = await ask<{ connections: readonly Connection[] }>('GET', '/connections')
  if (connections.length > 0 && !isAdding)
    return h(
      'section',
      {},
      h('h1', { tabindex: '-1' }, say('connections')),
      h(
        'ul',
        { class: 'cards' },
        ...connections.map(({ id, name, state }) =>
          h(
            'li',
            {},
            h('a', { href: `#/connections/${id}/setup`, 'data-part': 'connection' }, foreign(name)),
            ' ',
            h('span', { class: `state ${state}` }, say(`state_${state}` as 'state_waiting')),
          ),
        ),
      ),
      canManage && button('add', say('add'), () => go('/add')),
    )
  const path = `/providers?language=${language}`
  const { providers } = await ask<{ providers: readonly Provider[] }>('GET', path)
  const create = (provider: string): Promise<void> =>
    attempt(async () => {
      const made = await ask<{ connection: Connection; secret: Secret }>('POST', '/connections', {
        body: { provider },
      })
      secret.current = { connectionId: made.connection.id, secret: made.secret }
      go(`/connections/${made.connection.id}/setup`)
    })
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, say('choose')),
    h('p', {}, foreign(say('intro', { tenant: tenantName ?? tenant, app: app.name }))),
    h(
      'div',
      { class: 'choices' },
      ...providers.map(({ id, name }) =>
        button('provider', name, () => create(id), { 'data-value': id, disabled: !canManage }),
      ),
    ),
  )
}
