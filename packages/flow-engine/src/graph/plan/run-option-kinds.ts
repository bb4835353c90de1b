import { limitsOption, modelsOption, registryOption, servicesOption } from './option-kinds.ts'
import { budgetOption } from './run-budget.ts'

/** Kinds of options that makers of runs have in common. */
export const runOptionKinds = {
  budget: budgetOption,
  components: registryOption,
  limits: limitsOption,
  models: modelsOption,
  services: servicesOption,
}
