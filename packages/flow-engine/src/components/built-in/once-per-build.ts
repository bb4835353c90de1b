import type { ComponentContext } from '../define/context.ts'

/** Shares work between the outputs of a component: it runs once per build or tool call. */
export function oncePerBuild<I, R>(
  work: (inputs: I, ctx: ComponentContext) => Promise<R>,
): (inputs: I, ctx: ComponentContext) => Promise<R> {
  const done = new WeakMap<ComponentContext, Promise<R>>()
  return (inputs, ctx) => {
    const known = done.get(ctx) ?? work(inputs, ctx)
    done.set(ctx, known)
    return known
  }
}
