import { codeHash } from '@x/flow-engine/internal'
import { updatePromptFields, type PromptSyntax, type PromptUpdate } from '@x/flow-engine/internal'
import { isFlowError } from '@x/flow-engine'
import type { NodeTemplate } from '@x/flow-engine'
import { checkCodeText, OFFERED_MODULES, type CodeProblems } from '@x/flow-components/internal'
import { referenceType } from '@x/flow-engine/internal'
import { refuse } from '../../refusal.ts'

/** Validates code and prompts without running anything. */
export interface ValidateService {
  code(code: string): Promise<CodeProblems>
  /** @throws Refusal 400 with the message shown in the editor */
  prompt(
    node: { readonly template: NodeTemplate; readonly customFields: unknown },
    name: string,
    prompt: string,
    syntax?: PromptSyntax,
  ): PromptUpdate
}

export function createValidateService(modules: readonly string[]): ValidateService {
  const offered = [...OFFERED_MODULES, ...modules]
  return {
    async code(code) {
      // The source of a known component is never run: the native implementation replaces it.
      if (referenceType(codeHash(code)) !== undefined) return { imports: [], syntax: [] }
      return await checkCodeText(code, offered)
    },
    prompt(node, name, prompt, syntax) {
      try {
        return updatePromptFields(node, name, prompt, syntax)
      } catch (error) {
        if (isFlowError(error)) throw refuse(400, error.detail, { cause: error })
        throw error
      }
    },
  }
}
