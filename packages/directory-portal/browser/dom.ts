import type { Finding } from './api.ts'

type Child = Node | string | null | false
type Props = Readonly<Record<string, string | boolean | ((event: Event) => void) | null>>

/** An element; strings become text and never markup, functions listen to events. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value === true) element.setAttribute(name, '')
    else if (typeof value === 'string') element.setAttribute(name, value)
  }
  for (const child of children) if (child !== null && child !== false) element.append(child)
  return element
}

/** A value of the directory: text of its own direction. */
export const foreign = (text: string, part?: string): HTMLElement =>
  h('bdi', part === undefined ? {} : { 'data-part': part }, text)

/** A button of a part. */
export const button = (
  part: string,
  label: string,
  press: () => unknown,
  more: Props = {},
): HTMLButtonElement =>
  h('button', { type: 'button', 'data-part': part, click: () => void press(), ...more }, label)

/** A labelled control. */
export const labelled = (label: string, control: HTMLElement): HTMLElement =>
  h('label', { class: 'field' }, h('span', {}, label), control)

/** A choice among words. */
export function choice(
  part: string,
  options: readonly (readonly [value: string, label: string])[],
  { value, change }: { readonly value: string; readonly change: (value: string) => void },
): HTMLSelectElement {
  const select = h(
    'select',
    { 'data-part': part, change: () => change(select.value) },
    ...options.map(([name, label]) => h('option', { value: name }, label)),
  )
  select.value = value
  return select
}

/** A finding with what to do about it. */
export const findingItem = ({ name, level, message, fix }: Finding): HTMLElement =>
  h(
    'li',
    { 'data-part': 'finding', 'data-name': name, 'data-level': level, class: level },
    foreign(message),
    ' ',
    fix,
  )

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
