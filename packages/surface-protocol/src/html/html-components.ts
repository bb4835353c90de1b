import { isPlainObject } from '../json.ts'
import { formatAttributes, type HtmlContext } from './html-context.ts'
import { escapeHtml, inlineHtml } from './html-text.ts'

/** Returns the HTML of one component. */
export type Renderer = (context: HtmlContext) => string

/** Renderers of the 18 standard types. */
export const standardRenderers: ReadonlyMap<string, Renderer> = new Map<string, Renderer>([
  ['Text', renderText],
  [
    'Image',
    ({ tag, url, properties }) =>
      tag('img', {
        ...url('src', properties.url),
        alt: asText(properties.altText),
        'data-fit': stringOrNull(properties.fit),
        'data-hint': stringOrNull(properties.usageHint),
      }),
  ],
  [
    'Icon',
    ({ tag, properties }) =>
      `${tag('span', { 'data-icon': asText(properties.name), 'aria-hidden': 'true' })}</span>`,
  ],
  [
    'Video',
    ({ tag, url, properties }) =>
      `${tag('video', { ...url('src', properties.url), controls: true })}</video>`,
  ],
  [
    'AudioPlayer',
    ({ tag, url, properties }) => {
      const title = properties.description === undefined ? null : asText(properties.description)
      return `${tag('audio', { ...url('src', properties.url), controls: true, title })}</audio>`
    },
  ],
  ['Row', renderLine],
  ['Column', renderLine],
  [
    'List',
    ({ tag, children, properties }) => {
      const items = children(properties.children).map((child) => `<li>${child}</li>`)
      const direction = stringOrNull(properties.direction)
      return `${tag('ul', { 'data-direction': direction })}${items.join('')}</ul>`
    },
  ],
  ['Card', ({ tag, child, properties }) => `${tag('div')}${child(properties.child)}</div>`],
  ['Tabs', renderTabs],
  ['Divider', ({ tag, properties }) => tag('hr', { 'data-axis': stringOrNull(properties.axis) })],
  [
    'Modal',
    ({ tag, child, properties }) =>
      `${tag('details')}<summary>${child(properties.entryPointChild)}</summary>${child(properties.contentChild)}</details>`,
  ],
  ['Button', renderButton],
  [
    'CheckBox',
    ({ tag, properties }) => {
      const box = formatAttributes({ type: 'checkbox', checked: properties.value === true })
      return `${tag('label')}<input${box}> ${inlineHtml(asText(properties.label))}</label>`
    },
  ],
  ['TextField', renderTextField],
  ['DateTimeInput', renderDateTime],
  ['MultipleChoice', renderChoice],
  [
    'Slider',
    ({ tag, properties }) => {
      const { value, minValue, maxValue, label } = properties
      const range = formatAttributes({
        type: 'range',
        min: numberOr(minValue, 0),
        max: numberOr(maxValue, 100),
        value: numberOr(value, null),
        step: 'any',
      })
      return `${tag('label')}${inlineHtml(asText(label))}<input${range}></label>`
    },
  ],
])

function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === 'number' ? value : otherwise
}

function renderText({ tag, properties }: HtmlContext): string {
  const hint = stringOrNull(properties.usageHint)
  const name = hint !== null && /^h[1-5]$/.test(hint) ? hint : 'p'
  const mark = name === 'p' && hint !== null ? { 'data-hint': hint } : {}
  return `${tag(name, mark)}${inlineHtml(asText(properties.text))}</${name}>`
}

function renderLine({ tag, children, properties }: HtmlContext): string {
  const { distribution, alignment } = properties
  const attributes = {
    'data-distribution': stringOrNull(distribution),
    'data-alignment': stringOrNull(alignment),
  }
  return `${tag('div', attributes)}${children(properties.children).join('')}</div>`
}

function renderTabs({ tag, child, properties }: HtmlContext): string {
  const items: readonly unknown[] = Array.isArray(properties.tabItems) ? properties.tabItems : []
  const sections = items.filter(isPlainObject).map((item) => {
    return `<section><h3>${inlineHtml(asText(item.title))}</h3>${child(item.child)}</section>`
  })
  return `${tag('div')}${sections.join('')}</div>`
}

function renderButton({ tag, child, properties }: HtmlContext): string {
  const action = isPlainObject(properties.action) ? stringOrNull(properties.action.name) : null
  const primary = properties.primary === true
  const attributes = { type: 'button', 'data-action': action, 'data-primary': primary }
  return `${tag('button', attributes)}${child(properties.child)}</button>`
}

const inputTypes: Readonly<Record<string, string>> = {
  date: 'date',
  number: 'number',
  obscured: 'password',
}

function renderTextField({ tag, properties }: HtmlContext): string {
  const { label, text, textFieldType, validationRegexp } = properties
  const caption = inlineHtml(asText(label))
  if (textFieldType === 'longText') {
    return `${tag('label')}${caption}<textarea>${escapeHtml(asText(text))}</textarea></label>`
  }
  const kind = typeof textFieldType === 'string' ? textFieldType : ''
  const type = Object.hasOwn(inputTypes, kind) ? (inputTypes[kind] ?? 'text') : 'text'
  // Secrets are not written into a page.
  const value = type === 'password' ? null : asText(text)
  const input = formatAttributes({ type, value, pattern: stringOrNull(validationRegexp) })
  return `${tag('label')}${caption}<input${input}></label>`
}

function renderDateTime({ tag, properties }: HtmlContext): string {
  const { value, enableDate, enableTime } = properties
  const type = enableTime === true ? (enableDate === false ? 'time' : 'datetime-local') : 'date'
  return `${tag('label')}<input${formatAttributes({ type, value: asText(value) })}></label>`
}

function renderChoice({ tag, properties }: HtmlContext): string {
  const { options, selections, maxAllowedSelections, variant } = properties
  const list: readonly unknown[] = Array.isArray(options) ? options : []
  const chosen: readonly unknown[] = Array.isArray(selections) ? selections : []
  const items = list.filter(isPlainObject).map(({ label, value }) => ({
    label: inlineHtml(asText(label)),
    value: asText(value),
    selected: chosen.includes(value),
  }))
  if (maxAllowedSelections === 1 && variant !== 'chips') {
    const inner = items.map(({ label, value, selected }) => {
      return `<option${formatAttributes({ value, selected })}>${label.replaceAll(/<[^>]*>/g, '')}</option>`
    })
    return `${tag('select')}${inner.join('')}</select>`
  }
  const boxes = items.map(({ label, value, selected }) => {
    const box = formatAttributes({ type: 'checkbox', value, checked: selected })
    return `<label><input${box}> ${label}</label>`
  })
  return `${tag('fieldset')}${boxes.join('')}</fieldset>`
}
