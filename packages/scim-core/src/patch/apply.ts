import { completeLimits, type ScimLimits } from '../base/limits.ts'
import { completeQuirks, type ScimQuirk } from '../base/quirks.ts'
import type { ScimDocument } from '../base/document.ts'
import { isEqual } from '../base/equal.ts'
import { invalidValue } from '../base/errors.ts'
import { checkRequired } from '../schema/read-resource.ts'
import { dropEmptyElements } from '../schema/read-elements.ts'
import type { StoredValue } from '../schema/stored-value.ts'
import type { ResourceSchema } from '../schema/registry.ts'
import { applyStep } from './apply-step.ts'
import { applyMemberSteps, isMemberStep, planMembers } from './member-steps.ts'
import { planPatch, type PatchOperation } from './normalize.ts'
import { createPatchWork } from './patch-work.ts'
import type { PatchContext, PatchStep } from './step.ts'

export interface PatchOptions {
  readonly quirks?: 'all' | 'none' | Partial<Record<ScimQuirk, boolean>>
  readonly limits?: Partial<ScimLimits>
  /** Default `ignore`. */
  readonly unknownAttributes?: 'ignore' | 'reject'
  /** Default false. */
  readonly requirePatchPath?: boolean
  /** Default `merge`. */
  readonly replaceComplex?: 'merge' | 'whole'
}

export interface PatchResult {
  readonly resource: ScimDocument
  /** Names of the changed attributes; extensions by URN. */
  readonly changed: readonly string[]
}

const NO_OPTIONS: PatchOptions = {}
const DEFAULT_CONTEXT = contextOf(NO_OPTIONS)

/**
 * Applies PATCH operations to a resource in canonical spelling (RFC 7644 section 3.5.2). The given resource
 * is not modified; uniqueness and the existence of members are not checked.
 * @throws ScimError for the first operation that cannot be applied
 */
export function applyPatch(
  resource: ScimDocument,
  operations: readonly PatchOperation[],
  schema: ResourceSchema,
  options: PatchOptions = NO_OPTIONS,
): PatchResult {
  const base = options === NO_OPTIONS ? DEFAULT_CONTEXT : contextOf(options)
  const context: PatchContext = { ...base, shown: () => resource }
  const steps = planPatch(operations, schema, context)
  const patched = applySteps(resource, steps, context)
  const members = planMembers(steps, context)
  const result = members.length === 0 ? patched : applyMemberSteps(patched, members, context.limits)
  checkRequired(result, schema)
  return { resource: result, changed: changedNames(resource, result) }
}

function contextOf(options: PatchOptions): PatchContext {
  return {
    quirks: completeQuirks(options.quirks),
    limits: completeLimits(options.limits),
    rejectUnknown: options.unknownAttributes === 'reject',
    requirePatchPath: options.requirePatchPath ?? false,
    replaceComplex: options.replaceComplex ?? 'merge',
  }
}

/**
 * Applies the steps that do not concern members and returns a new document.
 * @throws ScimError tooMany if the steps cost too much, invalidValue if the document gets too long
 */
export function applySteps(
  resource: ScimDocument,
  steps: readonly PatchStep[],
  context: PatchContext,
): ScimDocument {
  const { patchComparisons, resourceLength } = context.limits
  const draft = draftOf(resource)
  const work = createPatchWork(patchComparisons)
  const applying = { work, ...context }
  for (const step of steps) if (!isMemberStep(step)) applyStep(draft, step, applying)
  dropEmptyElements(draft, resource, {
    ...context,
    brought: (name) =>
      steps.some(
        ({ op, target }) =>
          op !== 'remove' && target.sub === null && target.attribute?.name === name,
      ),
  })
  const { members: _, ...rest } = draft
  if (JSON.stringify(rest).length > resourceLength) {
    throw invalidValue(`The resource is longer than ${resourceLength} characters.`)
  }
  return draft
}

/** Names of the attributes that differ between two documents. */
export function changedNames(before: ScimDocument, after: ScimDocument): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isEqual(before[name], after[name]))
}

/** A copy whose top level may be modified. */
function draftOf(resource: ScimDocument): Record<string, StoredValue> {
  return { ...resource } as Record<string, StoredValue>
}
