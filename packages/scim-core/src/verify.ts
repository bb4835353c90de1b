export {
  NotVerifiableError,
  verifyScim,
  type CheckResult,
  type VerifyOptions,
  type VerifyReport,
} from './verify/verify-scim.ts'
export {
  readCycle,
  type CheckLevel,
  type Cycle,
  type CycleStep,
  type Expectation,
  type Feature,
  type Matcher,
} from './verify/cycle.ts'
export { CYCLES } from './verify/cycles.ts'
export { junitXml, resultLine, summaryLine } from './verify/report.ts'
