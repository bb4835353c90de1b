/**
 * The element of the page with this id.
 * @throws when the page has none of that kind
 */
export function byId<E extends Element>(id: string, kind: abstract new () => E): E {
  const element = document.querySelector(`#${id}`)
  if (!(element instanceof kind)) throw new Error(`The page has no #${id}`)
  return element
}

/** An element with its text and attributes; texts never become HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = '',
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  made.textContent = text
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

/** Runs what a form asks for, with its fields, and shows what goes wrong. */
export function onSubmit(id: string, work: (fields: FormData) => Promise<void>): void {
  const form = byId(id, HTMLFormElement)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(() => work(new FormData(form)))
  })
}

/** Runs `work`; a failure is shown above the page. */
export function attempt(work: () => Promise<void>): void {
  const problem = byId('problem', HTMLParagraphElement)
  problem.hidden = true
  work().catch((error: unknown) => {
    problem.textContent = error instanceof Error ? error.message : String(error)
    problem.hidden = false
  })
}

/** The text of a field. */
export function field(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}
