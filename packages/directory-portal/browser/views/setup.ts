import type { Secret, Status } from '../api.ts'
import { button, findingItem, foreign, h } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'

/** Address, secret, the steps of the directory, and what arrives, without a reload. */
export function setupView(page: ConnectionPage): HTMLElement {
  const { say, when, connection, provider, secret, session, base, redraw } = page
  const known = secret.current?.connectionId === connection.id ? secret.current.secret : null
  const values: Readonly<Record<string, string | null>> = {
    address: session.address,
    secret: known?.token ?? null,
  }
  const forget = (): void => {
    secret.current = null
    redraw()
  }
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, foreign(connection.name)),
    h(
      'div',
      { class: 'values' },
      valueRow(page, 'address', say('address'), session.address),
      known !== null && secretRow(page, known, forget),
    ),
    liveStatus(page),
    h('h2', {}, say('steps', { name: provider.name })),
    h(
      'ol',
      { 'data-part': 'steps' },
      ...provider.steps.map(({ id, title, text, fields, figure, alt }) =>
        h(
          'li',
          { 'data-part': 'step', 'data-step': id },
          h('h3', {}, title),
          h('p', {}, text),
          fields.length > 0 &&
            h(
              'dl',
              {},
              ...fields.flatMap(({ label, value }) => [
                h('dt', {}, label),
                h('dd', {}, shownValue(page, value, values)),
              ]),
            ),
          figure !== null &&
            h('img', {
              'data-part': 'figure',
              src: base + figure,
              alt: alt ?? '',
              loading: 'lazy',
            }),
        ),
      ),
    ),
    h(
      'p',
      { class: 'note' },
      say('reviewed', { date: when(provider.reviewed).split(',')[0] ?? '' }),
    ),
  )
}

/** What belongs into a field: a value of the connection, or a word as it is. */
function shownValue(
  { say }: ConnectionPage,
  value: string,
  values: Readonly<Record<string, string | null>>,
): HTMLElement {
  if (!Object.hasOwn(values, value)) return h('code', {}, value)
  return h('span', {}, values[value] ?? say('secret'))
}

function secretRow(page: ConnectionPage, { token }: Secret, forget: () => void): HTMLElement {
  const { say } = page
  return h(
    'div',
    { class: 'once' },
    h('p', {}, say('secret_once')),
    valueRow(page, 'secret', say('secret'), token),
    button('stored', say('stored'), forget),
  )
}

function valueRow(
  { say, attempt }: ConnectionPage,
  part: string,
  label: string,
  value: string,
): HTMLElement {
  const done = h('span', { role: 'status', class: 'done' })
  const copy = (): Promise<void> =>
    attempt(async () => {
      await navigator.clipboard.writeText(value)
      done.textContent = say('copied')
    })
  return h(
    'p',
    { class: 'value' },
    h('span', { class: 'label' }, label),
    h('code', { 'data-part': part }, value),
    button('copy', say('copy', { name: label }), copy, { 'data-for': part }),
    done,
  )
}

/** Resolves when the document is shown again, or the view is left. */
function shown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const once = { once: true, signal }
    document.addEventListener('visibilitychange', () => resolve(), once)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A live region that follows the connection until its first user, or until the view is left. */
function liveStatus({
  ask,
  say,
  connection,
  signal,
  language,
  attempt,
}: ConnectionPage): HTMLElement {
  const sentence = h('p', { role: 'status', 'data-part': 'waiting', 'data-state': 'waiting' })
  const findings = h('ul', { class: 'findings' })
  const show = ({ state, firstUser, findings: found }: Status): void => {
    const stage = firstUser === null ? (state === 'waiting' ? state : 'received') : 'connected'
    const name = firstUser?.userName ?? firstUser?.id ?? ''
    sentence.dataset['state'] = stage
    const text = say(`waiting_${stage}`, { name })
    if (sentence.textContent !== text) sentence.textContent = text
    findings.replaceChildren(
      ...found.filter(({ level }) => level === 'error' || level === 'warning').map(findingItem),
    )
  }
  const follow = async (): Promise<void> => {
    let since: number | null = null
    while (!signal.aborted) {
      if (document.hidden) {
        await shown(signal)
        continue
      }
      const wait: string = since === null ? '' : `&since=${since}&wait=25`
      const path = `/connections/${connection.id}/status?language=${language}${wait}`
      const status: Status = await ask<Status>('GET', path, { signal })
      since = status.cursor
      show(status)
    }
  }
  void attempt(follow)
  return h('div', {}, sentence, findings)
}
