import { createAsk, Refused, type Connection, type Provider, type Session } from './api.ts'
import { button, choice, h, labelled } from './dom.ts'
import type { ConnectionPage, PageWords, PortalView } from './portal-view.ts'
import { chooseView } from './views/choose.ts'
import { logView } from './views/log.ts'
import { rolesView } from './views/roles.ts'
import { settingsView } from './views/settings.ts'
import { setupView } from './views/setup.ts'
import { signInView } from './views/sign-in.ts'
import { usersView } from './views/users.ts'

/** Names of the files with the words of each language, and of the style; filled in when the page is built. */
declare const WORD_FILES: Readonly<Record<string, string>>
declare const STYLE_FILE: string

const VIEWS: Readonly<Record<string, (page: ConnectionPage) => HTMLElement>> = {
  setup: setupView,
  users: usersView,
  roles: rolesView,
  log: logView,
  'sign-in': signInView,
  settings: settingsView,
}
const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  ja: '日本語',
}
const OPENING = /^#open=([\w-]+)$/
const KEPT_LANGUAGE = 'directory-portal.language'
const isElementFile = new URL(import.meta.url).pathname.endsWith('/element.js')
const ownBase = new URL(isElementFile ? './' : '../', import.meta.url).href

/** The portal as an element; attributes `base` (its path) and `language`. */
class DirectoryPortalElement extends HTMLElement {
  readonly #root = this.attachShadow({ mode: 'open' })
  readonly #main = h('main')
  readonly #header = h('header')
  readonly #alert = h('p', { role: 'alert', class: 'alert' })
  readonly #secret: PortalView['secret'] = { current: null }
  #leaving = new AbortController()
  #address = ''
  #words: PageWords | undefined
  #language = 'en'
  #session: Session | undefined

  connectedCallback(): void {
    const style = h('link', { rel: 'stylesheet', href: `${ownBase}assets/${STYLE_FILE}` })
    this.#root.replaceChildren(style, this.#header, this.#alert, this.#main)
    window.addEventListener('hashchange', this.#moved)
    void this.#start()
  }

  disconnectedCallback(): void {
    window.removeEventListener('hashchange', this.#moved)
    this.#leaving.abort()
    this.#secret.current = null
  }

  get #base(): string {
    const given = this.getAttribute('base')
    return given === null ? ownBase : new URL(`${given.replace(/\/$/, '')}/`, location.href).href
  }

  /** A link that is opened in a tab of the portal changes its fragment alone. */
  readonly #moved = (): void => void (OPENING.test(location.hash) ? this.#start() : this.#draw())

  async #start(): Promise<void> {
    const token = OPENING.exec(location.hash)?.[1]
    await this.#speak(null)
    if (token === undefined) {
      await this.#enter()
      return
    }
    this.#leaving.abort()
    this.#secret.current = null
    this.#header.replaceChildren()
    this.#main.replaceChildren(
      h('h1', { tabindex: '-1' }, this.#say('title')),
      button('continue', this.#say('continue'), () => this.#redeem(token)),
    )
  }

  async #redeem(link: string): Promise<void> {
    try {
      await createAsk(this.#base)('POST', '/session', { body: { link } })
      history.replaceState(null, '', location.pathname + location.search)
      await this.#enter()
    } catch (error) {
      this.#refuse(error)
    }
  }

  async #enter(): Promise<void> {
    try {
      this.#session = await createAsk(this.#base)<Session>('GET', '/session')
      await this.#speak(this.#session.language)
      await this.#draw()
    } catch (error) {
      this.#refuse(error)
    }
  }

  #refuse(error: unknown): void {
    const code = error instanceof Refused ? error.code : ''
    const key = `refused_${code}`
    const ui: Readonly<Record<string, string>> = this.#words?.ui ?? {}
    const text = ui[key] ?? this.#say('failed', { message: String(error) })
    this.#main.replaceChildren(
      h('h1', { tabindex: '-1' }, this.#say('title')),
      h('p', { 'data-part': 'refused', 'data-code': code, role: 'alert' }, text),
    )
  }

  /** Loads the words of the language that the link, the person or the browser asks for. */
  async #speak(ofLink: string | null): Promise<void> {
    const kept = localStorage.getItem(KEPT_LANGUAGE)
    const wanted = [this.getAttribute('language'), ofLink, kept, ...navigator.languages]
    const known = wanted
      .map((tag) => tag?.toLowerCase().split('-')[0] ?? '')
      .find((tag) => Object.hasOwn(WORD_FILES, tag))
    const language = known ?? 'en'
    if (language !== this.#language || this.#words === undefined) {
      const answer = await fetch(`${ownBase}assets/${WORD_FILES[language] ?? ''}`)
      this.#words = (await answer.json()) as PageWords
      this.#language = language
    }
    this.lang = language
    if (!isElementFile) {
      document.documentElement.lang = language
      document.title = this.#say('title')
    }
  }

  #say(key: keyof PageWords['ui'], values: Readonly<Record<string, string | number>> = {}): string {
    const text = this.#words?.ui[key] ?? ''
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
  }

  #tell(error: unknown): void {
    if (error instanceof Refused && error.code === 'unauthorized') this.#refuse(error)
    else this.#alert.textContent = this.#say('failed', { message: (error as Error).message })
  }

  async #draw(): Promise<void> {
    const session = this.#session
    const words = this.#words
    if (session === undefined || words === undefined) return
    const address = location.hash.startsWith('#/') ? location.hash.slice(1) : '/'
    const [, , id = '', name = ''] = address.split('/')
    this.#leaving.abort()
    this.#leaving = new AbortController()
    const isSetupOf = address.startsWith('/connections/') && name === 'setup' && id
    if (isSetupOf !== this.#secret.current?.connectionId) this.#secret.current = null
    const moved = address !== this.#address
    this.#address = address
    this.#alert.textContent = ''
    const date = new Intl.DateTimeFormat(this.#language, {
      dateStyle: 'medium',
      timeStyle: 'short',
    })
    const { signal } = this.#leaving
    const tell = (error: unknown): void => this.#tell(error)
    const view: PortalView = {
      ask: createAsk(this.#base),
      base: this.#base,
      session,
      words,
      language: this.#language,
      say: (key, values) => this.#say(key, values),
      when: (at) => date.format(new Date(at)),
      go(to) {
        location.hash = to
      },
      redraw: () => void this.#draw(),
      async attempt(work) {
        try {
          await work()
        } catch (error) {
          if (!signal.aborted) tell(error)
        }
      },
      signal,
      secret: this.#secret,
      canManage: session.permission === 'manage',
    }
    await view.attempt(async () => {
      const content =
        id === ''
          ? await chooseView(view, address === '/add')
          : await this.#ofConnection(view, id, name)
      if (signal.aborted) return
      this.#drawHeader(view, id, name)
      this.#main.replaceChildren(content)
      if (moved) this.#main.querySelector('h1')?.focus()
    })
  }

  async #ofConnection(view: PortalView, id: string, name: string): Promise<HTMLElement> {
    const { ask, language } = view
    const path = `/connections/${encodeURIComponent(id)}`
    const { connection } = await ask<{ connection: Connection }>('GET', path)
    const list = `/providers?language=${language}`
    const { providers } = await ask<{ providers: readonly Provider[] }>('GET', list)
    const provider = providers.find((one) => one.id === connection.provider) ?? providers.at(-1)
    const make = VIEWS[name] ?? setupView
    if (provider === undefined) throw new TypeError('There is no provider')
    return make({ ...view, connection, provider })
  }

  #drawHeader({ say, session, ask, attempt }: PortalView, id: string, name: string): void {
    const { domains, roles } = session.features
    const names = Object.keys(VIEWS).filter(
      (one) => (one !== 'sign-in' || domains) && (one !== 'roles' || roles),
    )
    const links = names.map((one) =>
      h(
        'a',
        {
          href: `#/connections/${id}/${one}`,
          'data-part': 'view',
          'data-value': one,
          'aria-current': one === name ? 'page' : null,
        },
        say(one === 'sign-in' ? 'domains' : (one as 'setup')),
      ),
    )
    const nav = h('nav', { 'aria-label': say('menu'), id: 'menu' }, ...links)
    const menu = button('menu', say('menu'), () => {
      const isOpen = nav.classList.toggle('open')
      menu.setAttribute('aria-expanded', String(isOpen))
    })
    menu.setAttribute('aria-expanded', 'false')
    const leave = (): Promise<void> =>
      attempt(async () => {
        await ask('DELETE', '/session')
        this.#session = undefined
        this.#header.replaceChildren()
        this.#refuse(new Refused('unauthorized', ''))
      })
    const languages = Object.entries(LANGUAGES)
    this.#header.replaceChildren(
      h('a', { href: '#/', class: 'home' }, session.tenantName ?? session.tenant),
      ...(id === '' ? [] : [menu, nav]),
      labelled(
        say('language'),
        choice('language', languages, {
          value: this.#language,
          change: (tag) => void this.#choose(tag),
        }),
      ),
      ...(session.returnUrl === null
        ? []
        : [h('a', { href: session.returnUrl }, say('back', { app: session.app.name }))]),
      button('leave', say('leave'), leave),
    )
  }

  async #choose(language: string): Promise<void> {
    localStorage.setItem(KEPT_LANGUAGE, language)
    this.setAttribute('language', language)
    await this.#speak(language)
    await this.#draw()
  }
}

if (customElements.get('directory-portal') === undefined)
  customElements.define('directory-portal', DirectoryPortalElement)
if (!isElementFile) document.body.append(document.createElement('directory-portal'))
