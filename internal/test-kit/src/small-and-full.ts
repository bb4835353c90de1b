import type { TestOptions } from 'vitest'

/**
 * Two sizes of one test: a small one for every run, and the full one, which runs each night. The text
 * is for its title.
 */
export function smallAndFull(
  small: number,
  full: number,
): readonly (readonly [text: string, size: number, options: TestOptions])[] {
  return [
    [small.toLocaleString('en-US'), small, {}],
    [full.toLocaleString('en-US'), full, { tags: ['night'] }],
  ]
}
