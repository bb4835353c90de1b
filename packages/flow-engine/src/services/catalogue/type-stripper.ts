/** Moves the stack pointer of the parser's WebAssembly by so many bytes; gives where it is then. */
type MoveStack = (bytes: number) => number

/**
 * TypeScript without its types, positions kept. A text that nests so deeply that the parser's stack
 * overflows leaves its stack pointer where it was: without putting it back, every later text of
 * every request would fail.
 * @throws what the parser throws for a text that is no TypeScript
 */
export async function stripTypeScript(code: string): Promise<string> {
  const parser = await import('@swc/wasm-typescript')
  const move = moveStackOf(parser)
  const before = move?.(0)
  try {
    return parser.transformSync(code, { mode: 'strip-only', module: true }).code
  } catch (error) {
    if (move !== undefined && before !== undefined) move(before - move(0))
    // The trap of WebAssembly, or of the stack around it.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) {
      throw new Error('The code is nested too deeply', { cause: error })
    }
    throw error
  }
}

/** The package exports its WebAssembly without types. */
function moveStackOf(parser: object): MoveStack | undefined {
  const { default: inner = parser } = parser as { readonly default?: object }
  const { __wasm: wasm } = inner as { readonly __wasm?: object }
  const { __wbindgen_add_to_stack_pointer: move } = (wasm ?? {}) as {
    readonly __wbindgen_add_to_stack_pointer?: MoveStack
  }
  return move
}
