import type { Domain } from '../api.ts'
import { button, foreign, h, labelled } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'

/** Domains of the tenant, and the records that prove them. */
export function signInView(page: ConnectionPage): HTMLElement {
  const { ask, say, attempt, signal, canManage, redraw } = page
  const list = h('ul', { class: 'cards' })
  const change = (work: () => Promise<unknown>): Promise<void> => attempt(() => work().then(redraw))
  const row = ({ domain, txtName, txtValue, state }: Domain): HTMLElement => {
    const path = `/domains/${encodeURIComponent(domain)}`
    const isVerified = state === 'verified'
    return h(
      'li',
      { 'data-part': 'domain', 'data-id': domain },
      h('h2', {}, foreign(domain)),
      h('p', { class: isVerified ? 'ok' : 'warning' }, say(`domain_${state}`)),
      !isVerified &&
        h(
          'dl',
          {},
          h('dt', {}, say('txt_name')),
          h('dd', {}, h('code', { 'data-part': 'txt-name' }, txtName)),
          h('dt', {}, say('txt_value')),
          h('dd', {}, h('code', { 'data-part': 'txt-value' }, txtValue)),
        ),
      canManage &&
        !isVerified &&
        button('verify', say('verify'), () =>
          change(() => ask('POST', `${path}/verify`, { body: {} })),
        ),
      canManage &&
        button('remove-domain', say('confirm_remove'), () => change(() => ask('DELETE', path))),
    )
  }
  void attempt(async () => {
    const { domains } = await ask<{ domains: readonly Domain[] }>('GET', '/domains', { signal })
    list.replaceChildren(...domains.map(row))
  })
  const name = h('input', { type: 'text', 'data-part': 'domain-name', autocomplete: 'off' })
  const add = (): Promise<void> =>
    change(() => ask('POST', '/domains', { body: { domain: name.value.trim() } }))
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, say('domains')),
    list,
    canManage &&
      h(
        'div',
        { class: 'filters' },
        labelled(say('domain'), name),
        button('add-domain', say('add_domain'), add),
      ),
  )
}
