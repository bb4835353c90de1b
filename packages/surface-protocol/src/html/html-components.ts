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
        alt: asText(properties.altText ?? properties.description),
        'data-fit': stringOrNull(properties.fit),
        'data-hint': stringOrNull(properties.usageHint ?? properties.variant),
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
    ({ tag, child, properties }) => {
      const { entryPointChild, trigger, contentChild, content } = properties
      const summary = child(entryPointChild ?? trigger)
      return `${tag('details')}<summary>${summary}</summary>${child(contentChild ?? content)}</details>`
    },
  ],
  ['Button', renderButton],
  [
    'CheckBox',
    ({ tag, properties }) => {
      const box = formatAttributes({
        type: 'checkbox',
        checked: properties.value === true,
        ...nameOf(properties),
      })
      return `${tag('label')}<input${box}> ${inlineHtml(asText(properties.label))}</label>`
    },
  ],
  ['TextField', renderTextField],
  ['DateTimeInput', renderDateTime],
  ['MultipleChoice', renderChoice],
  ['ChoicePicker', renderPicker],
  [
    'Slider',
    ({ tag, properties }) => {
      const { value, minValue, min, maxValue, max, label, steps } = properties
      const low = numberOr(minValue ?? min, 0)
      const high = numberOr(maxValue ?? max, 100)
      const range = formatAttributes({
        type: 'range',
        min: low,
        max: high,
        value: numberOr(value, null),
        step: typeof steps === 'number' ? (high - low) / steps : 'any',
        ...nameOf(properties, 'Slider'),
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
  const hint = stringOrNull(properties.usageHint ?? properties.variant)
  const name = hint !== null && /^h[1-5]$/.test(hint) ? hint : 'p'
  const mark = name === 'p' && hint !== null ? { 'data-hint': hint } : {}
  return `${tag(name, mark)}${inlineHtml(asText(properties.text))}</${name}>`
}

function renderLine({ tag, children, properties }: HtmlContext): string {
  const { distribution, justify, alignment, align } = properties
  const attributes = {
    'data-distribution': stringOrNull(distribution ?? justify),
    'data-alignment': stringOrNull(alignment ?? align),
  }
  return `${tag('div', attributes)}${children(properties.children).join('')}</div>`
}

function renderTabs({ tag, child, properties }: HtmlContext): string {
  const given: unknown = properties.tabItems ?? properties.tabs
  const items: readonly unknown[] = Array.isArray(given) ? given : []
  const sections = items.filter(isPlainObject).map((item) => {
    return `<section><h3>${inlineHtml(asText(item.title))}</h3>${child(item.child)}</section>`
  })
  return `${tag('div')}${sections.join('')}</div>`
}

function renderButton({ tag, child, properties }: HtmlContext): string {
  const given = isPlainObject(properties.action) ? properties.action : {}
  const action = stringOrNull(isPlainObject(given.event) ? given.event.name : given.name)
  const primary = properties.primary === true || properties.variant === 'primary'
  const attributes = { type: 'button', 'data-action': action, 'data-primary': primary }
  return `${tag('button', attributes)}${child(properties.child)}</button>`
}

const inputTypes: Readonly<Record<string, string>> = {
  date: 'date',
  number: 'number',
  obscured: 'password',
}

function renderTextField({ tag, properties }: HtmlContext): string {
  const { label, text, validationRegexp } = properties
  const content = asText(text ?? properties.value)
  const textFieldType = properties.textFieldType ?? properties.variant
  const caption = inlineHtml(asText(label))
  if (textFieldType === 'longText') {
    return `${tag('label')}${caption}<textarea${formatAttributes(nameOf(properties))}>${escapeHtml(content)}</textarea></label>`
  }
  const kind = typeof textFieldType === 'string' ? textFieldType : ''
  const type = Object.hasOwn(inputTypes, kind) ? (inputTypes[kind] ?? 'text') : 'text'
  // Secrets are not written into a page.
  const value = type === 'password' ? null : content
  const pattern = stringOrNull(validationRegexp)
  const placeholder = stringOrNull(properties.placeholder)
  const input = formatAttributes({
    type,
    value,
    placeholder,
    pattern,
    ...nameOf(properties, 'Text'),
  })
  return `${tag('label')}${caption}<input${input}></label>`
}

function renderDateTime({ tag, properties }: HtmlContext): string {
  const { value, enableDate, enableTime, label } = properties
  const type = enableTime === true ? (enableDate === false ? 'time' : 'datetime-local') : 'date'
  const input = formatAttributes({ type, value: asText(value), ...nameOf(properties, 'Date') })
  return `${tag('label')}${inlineHtml(asText(label))}<input${input}></label>`
}

/** The choices from 0.9.1 on: radio buttons for one, boxes for several, the label as legend. */
function renderPicker({ tag, node, properties }: HtmlContext): string {
  const { options, value, variant, label } = properties
  const list: readonly unknown[] = Array.isArray(options) ? options : []
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [value]
  const type = variant === 'multipleSelection' ? 'checkbox' : 'radio'
  const boxes = list.filter(isPlainObject).map((option) => {
    const own = asText(option.value)
    const checked = chosen.includes(option.value)
    const box = formatAttributes({ type, name: node.id, value: own, checked })
    return `<label><input${box}> ${inlineHtml(asText(option.label))}</label>`
  })
  const legend = label === undefined ? '' : `<legend>${inlineHtml(asText(label))}</legend>`
  return `${tag('fieldset')}${legend}${boxes.join('')}</fieldset>`
}

/** The accessible name and description of a control; one without a label gets a name of last resort. */
function nameOf(
  properties: HtmlContext['properties'],
  otherwise: string | null = null,
): Readonly<Record<string, string | null>> {
  const { accessibility, label } = properties
  const { label: name, description } = isPlainObject(accessibility) ? accessibility : {}
  const hasLabel = asText(label) !== ''
  return {
    'aria-label': stringOrNull(name) ?? (hasLabel ? null : otherwise),
    'aria-description': stringOrNull(description),
  }
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
