import { make } from './elements.ts'

/** The signed-in user. */
export interface User {
  readonly username: string
  readonly is_superuser: boolean
}

/** One page of the console. */
export interface ConsolePage {
  /** The fragment of its address, and the id of its section. */
  readonly name: string
  readonly title: string
  /** True if only superusers see it in the menu. */
  readonly forSuperusers?: boolean
  /** Called each time the page is opened. */
  open(section: HTMLElement, user: User): void | Promise<void>
  /** Called when another page is opened or the user signs out. */
  leave?(section: HTMLElement): void
}

/** The section of a page, created if the document has none. */
export function sectionOf({ name, title }: ConsolePage): HTMLElement {
  const known = document.querySelector<HTMLElement>(`section#${name}`)
  const section = known ?? make('section', '', { id: name })
  const heading = make('h2', title, { id: `${name}-title`, tabindex: '-1' })
  section.setAttribute('aria-labelledby', heading.id)
  section.hidden = true
  section.prepend(heading)
  if (known === null) document.querySelector('main')?.append(section)
  return section
}

/** Replaces everything below the heading of a page. */
export function replaceBelowTitle(section: HTMLElement, parts: readonly HTMLElement[]): void {
  const [title] = section.children
  section.replaceChildren(...(title === undefined ? [] : [title]), ...parts)
}
