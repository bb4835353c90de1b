import { readFileSync } from 'node:fs'
import { isObject } from '@x/wire'
import type { Component } from '../components/define/component.ts'
import { embeddedComponent } from '../components/node/embedded-component.ts'
import type { NodeDetails } from '../graph/flow/node-json.ts'

/**
 * A component whose nodes contain its source, from the file with the code and the `.json` of the same name beside it,
 * as `x-flow eject` writes them.
 * @throws TypeError if a file is missing or has another form
 */
export function embedded(url: URL): Component {
  const code = read(url)
  const facts = new URL(url.href.replace(/\.[^./]+(?=$|[?#])/, '.json'))
  let json: unknown
  try {
    json = JSON.parse(read(facts))
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new TypeError(`${nameOf(facts)}: ${error.message}`, { cause: error })
    throw error
  }
  const { type, node } = isObject(json) ? json : {}
  if (typeof type !== 'string' || !isObject(node) || !isObject(node['template']))
    throw new TypeError(`${nameOf(facts)} must have a type and a node with a template`)
  return embeddedComponent(type, node as unknown as NodeDetails, code)
}

function read(url: URL): string {
  try {
    return readFileSync(url, 'utf8')
  } catch (error) {
    throw new TypeError(`${nameOf(url)} cannot be read`, { cause: error })
  }
}

const nameOf = ({ pathname }: URL): string => decodeURIComponent(pathname.split('/').at(-1) ?? '')
