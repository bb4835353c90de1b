import type { Group, RoleChanges, Roles } from '../api.ts'
import { button, choice, foreign, h, labelled } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'
import { following } from './searched-table.ts'

/** Groups with the role of their members; what would change is shown before it is saved. */
export function rolesView(page: ConnectionPage): HTMLElement {
  const { ask, say, attempt, signal, canManage, redraw } = page
  const rows = h('ul', { class: 'cards' })
  const more = h('p')
  const changes = h('div', { 'data-part': 'role-changes', role: 'status' })
  const usual = h('div')
  let wanted = new Map<string, string[]>()
  let rest: string | null = null
  let isShown = false

  const body = (dryRun: boolean): object => ({
    rules: [...wanted].flatMap(([groupId, roles]) => roles.map((role) => ({ groupId, role }))),
    default: rest,
    dryRun,
  })
  const touched = (): void => {
    isShown = false
    changes.replaceChildren()
  }
  const select = (
    part: string,
    roles: Roles['roles'],
    { value, change }: { readonly value: string; readonly change: (value: string) => void },
  ) => {
    const options = roles.map((role) => [role.value, role.name] as const)
    const control = choice(part, [['', say('no_role')], ...options], {
      value,
      change(role) {
        change(role)
        touched()
      },
    })
    control.disabled = !canManage
    return control
  }
  const row = ({ id, displayName, members }: Group, roles: Roles['roles']): HTMLElement => {
    const change = (role: string): void =>
      void (role === '' ? wanted.delete(id) : wanted.set(id, [role]))
    const control = select('role-of', roles, { value: wanted.get(id)?.[0] ?? '', change })
    control.setAttribute('data-id', id)
    control.setAttribute('aria-label', say('role_of', { name: displayName }))
    const count = say('members', { count: members ?? '> 10000' })
    const name = h('h2', {}, foreign(displayName))
    return h('li', { 'data-part': 'group', 'data-id': id }, name, h('p', {}, count), control)
  }
  const load = (roles: Roles['roles'], after: string | null): Promise<void> =>
    attempt(async () => {
      const path = `/groups${after === null ? '' : `?after=${encodeURIComponent(after)}`}`
      const found = await ask<{ groups: readonly Group[]; next: string | null }>('GET', path, {
        signal,
      })
      rows.append(...found.groups.map((group) => row(group, roles)))
      more.replaceChildren(...following(page, rows, found.next, (next) => load(roles, next)))
    })
  void attempt(async () => {
    const answer = await ask<Roles>('GET', '/roles', { signal })
    const { roles, rules, default: known, applying } = answer
    rest = known
    wanted = new Map()
    for (const { groupId, role } of rules)
      wanted.set(groupId, [...(wanted.get(groupId) ?? []), role])
    const change = (role: string): void => void (rest = role === '' ? null : role)
    const control = select('default-role', roles, { value: known ?? '', change })
    usual.append(labelled(say('default_role'), control))
    if (applying !== undefined) changes.append(h('p', {}, say('applying', applying)))
    await load(roles, null)
  })
  const save = (): Promise<void> =>
    attempt(async () => {
      const answer = await ask<{ changes: RoleChanges }>('PUT', '/roles', { body: body(!isShown) })
      if (isShown) {
        redraw()
        return
      }
      isShown = true
      const { total, sample } = answer.changes
      const none = say('no_role')
      const names = (list: readonly string[]): string => list.join(', ') || none
      changes.replaceChildren(
        h('p', {}, say('role_changes', { count: total ?? '> 10000' })),
        h(
          'ul',
          {},
          ...sample.map(({ userId, userName, before, after }) =>
            h('li', {}, foreign(userName ?? userId), `: ${names(before)} → ${names(after)}`),
          ),
        ),
        h('p', {}, say('save_again')),
      )
    })
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, say('roles')),
    usual,
    rows,
    more,
    changes,
    canManage && button('save-roles', say('save_roles'), save),
  )
}
