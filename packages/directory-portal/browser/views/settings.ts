import type { Finding, Secret, SecretInfo } from '../api.ts'
import { button, findingItem, foreign, h, labelled } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'

/** Test, secrets, pause and removal. */
export function settingsView(page: ConnectionPage): HTMLElement {
  const { say, ask, connection, attempt, redraw, canManage } = page
  const own = `/connections/${connection.id}`
  const change = (work: () => Promise<unknown>): Promise<void> => attempt(() => work().then(redraw))
  const { paused } = connection
  const setPaused = (): Promise<void> =>
    change(() => ask('PATCH', own, { body: { paused: !paused } }))
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, say('settings')),
    canManage && testPart(page),
    h('h2', {}, say('secrets')),
    h('ul', { class: 'cards' }, ...connection.secrets.map((one) => secretRow(page, one, change))),
    canManage && button(paused ? 'resume' : 'pause', say(paused ? 'resume' : 'pause'), setPaused),
    canManage && removal(page),
  )
}

function testPart({ ask, say, connection, language, attempt }: ConnectionPage): HTMLElement {
  const list = h('ul', { class: 'findings' })
  const test = (): Promise<void> =>
    attempt(async () => {
      const path = `/connections/${connection.id}/test?language=${language}`
      const { findings } = await ask<{ findings: readonly Finding[] }>('POST', path, { body: {} })
      list.replaceChildren(...findings.map(findingItem))
    })
  return h(
    'div',
    {},
    h('h2', {}, say('findings')),
    button('test', say('test'), test),
    h('div', { role: 'status' }, list),
  )
}

function secretRow(
  { ask, say, when, connection, secret, go, attempt, canManage }: ConnectionPage,
  { id, label, endsAt, revokedAt }: SecretInfo,
  change: (work: () => Promise<unknown>) => Promise<void>,
): HTMLElement {
  const isOver = revokedAt !== null || (endsAt !== null && new Date(endsAt) <= new Date())
  const ends =
    endsAt === null ? say('never') : say(isOver ? 'ended' : 'expires', { date: when(endsAt) })
  const path = `/connections/${connection.id}/secrets/${id}`
  const rotate = (): Promise<void> =>
    attempt(async () => {
      const made = await ask<{ secret: Secret }>('POST', `${path}/rotate`, { body: {} })
      secret.current = { connectionId: connection.id, secret: made.secret }
      go(`/connections/${connection.id}/setup`)
    })
  const canChange = canManage && !isOver
  return h(
    'li',
    { 'data-part': 'secret-row', 'data-id': id },
    foreign(label ?? say('secret')),
    ` ${ends} `,
    canChange && button('rotate', say('rotate'), rotate),
    canChange && button('revoke', say('revoke'), () => change(() => ask('DELETE', path))),
  )
}

function removal(page: ConnectionPage): HTMLElement {
  const { ask, say, connection, go, attempt } = page
  const own = `/connections/${connection.id}`
  const place = h('div')
  const remove = (confirm: string, users: string): Promise<void> =>
    attempt(async () => {
      await ask('DELETE', own, { body: { confirm, users } })
      go('/')
    })
  const open = (): Promise<void> =>
    attempt(async () => {
      const { users, secrets } = await ask<{
        users: { active: number; inactive: number }
        secrets: number
      }>('GET', `${own}/consequences`)
      const name = h('input', { type: 'text', 'data-part': 'confirm-name', autocomplete: 'off' })
      const deactivate = h('input', { type: 'radio', name: 'users', value: 'deactivate' })
      const keep = h('input', { type: 'radio', name: 'users', value: 'keep', checked: true })
      place.replaceChildren(
        h('p', { 'data-part': 'consequences' }, say('consequences', { ...users, secrets })),
        labelled(say('users_keep'), keep),
        labelled(say('users_deactivate'), deactivate),
        labelled(say('confirm_name', { name: connection.name }), name),
        button('confirm-remove', say('confirm_remove'), () =>
          remove(name.value, deactivate.checked ? 'deactivate' : 'keep'),
        ),
      )
      name.focus()
    })
  return h(
    'div',
    { class: 'removal' },
    h('h2', {}, say('remove')),
    button('remove', say('remove'), open),
    place,
  )
}
