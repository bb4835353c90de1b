import type { TreeNode } from '../tree/instance.ts'
import { escapeHtml } from './html-text.ts'

/** The context of a type's renderer. */
export interface HtmlContext {
  readonly node: TreeNode
  readonly properties: TreeNode['properties']
  /** An opening tag with class, id and attributes; values are escaped, null and false omitted. */
  readonly tag: (
    name: string,
    attributes?: Readonly<Record<string, string | number | boolean | null>>,
  ) => string
  /** The HTML of a child. */
  readonly child: (value: unknown) => string
  /** The HTML of a list of children. */
  readonly children: (value: unknown) => string[]
  /** The attribute of a URL, or a marker for a rejected one. */
  readonly url: (name: string, value: unknown) => Readonly<Record<string, string | boolean>>
}

/** Formats the attributes of a tag, each with a leading space; null and false are omitted. */
export function formatAttributes(
  attributes: Readonly<Record<string, string | number | boolean | null>>,
): string {
  let text = ''
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) text += ` ${name}`
    else if (value !== null && value !== false) text += ` ${name}="${escapeHtml(String(value))}"`
  }
  return text
}
