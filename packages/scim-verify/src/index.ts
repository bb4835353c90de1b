export {
  NotVerifiableError,
  verifyScim,
  type CheckResult,
  type VerifyOptions,
  type VerifyReport,
} from './verify-scim.ts'
export {
  readCycle,
  type CheckLevel,
  type Cycle,
  type CycleStep,
  type Expectation,
  type Feature,
  type Matcher,
} from './cycle.ts'
export { type ClientCredentials } from './request-token.ts'
export { CYCLES } from './cycles.ts'
export { junitXml, resultLine, summaryLine } from './report.ts'
