import { make } from './elements.ts'

/** Text with a button that copies it. */
export function copyable(text: string, label: string): HTMLElement {
  const box = make('div', '', { class: 'copyable' })
  const button = make('button', 'Copy', { type: 'button', class: 'quiet', 'aria-label': label })
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Select it'),
    )
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
  box.append(make('code', text, { tabindex: '0' }), button)
  return box
}
