/**
 * The element of the page with this id.
 * @throws when the page has none of that kind
 */
export function byId<E extends Element>(id: string, kind: abstract new () => E): E {
  const element = document.querySelector(`#${id}`)
  if (!(element instanceof kind)) throw new Error(`The page has no #${id}`)
  return element
}

/** An element with text and attributes; text is never parsed as HTML. */
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

/** Calls `work` with the fields of a form when it is submitted; an error is shown above the page. */
export function onSubmit(id: string, work: (fields: FormData) => Promise<void>): void {
  whenSent(byId(id, HTMLFormElement), work)
}

function whenSent(element: HTMLFormElement, work: (fields: FormData) => Promise<void>): void {
  element.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(() => work(new FormData(element)))
  })
}

/** Runs `work`; an error is shown above the page. */
export function attempt(work: () => Promise<void>): void {
  const problem = byId('problem', HTMLParagraphElement)
  problem.hidden = true
  work().catch((error: unknown) => {
    problem.textContent = error instanceof Error ? error.message : String(error)
    problem.hidden = false
  })
}

/** The value of a field. */
export function field(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}

/** A field below its label. */
export function labelled(
  label: string,
  attributes: Readonly<Record<string, string>>,
): HTMLLabelElement {
  const made = make('label', label)
  made.append(make('input', '', { autocomplete: 'off', ...attributes }))
  return made
}

/** A form of labelled fields with one button. */
export function form(
  label: string,
  fields: readonly HTMLElement[],
  button: string,
): { readonly element: HTMLFormElement; onsend(work: (fields: FormData) => Promise<void>): void } {
  const element = make('form', '', { 'aria-label': label, class: 'fields' })
  element.append(...fields, make('button', button))
  return { element, onsend: (work) => whenSent(element, work) }
}
