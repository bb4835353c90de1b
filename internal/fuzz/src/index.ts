export { createDice, type Dice } from './dice.ts'
export { amplify, measureGrowth, type Growth } from './growth.ts'
export { hostileNumber, hostileString, hostileValue } from './hostile.ts'
export {
  FUZZ_CASES,
  FUZZ_MEASURES,
  runCases,
  type FuzzCase,
  type FuzzOptions,
  type FuzzResult,
} from './run-cases.ts'
export { schemaValue, type JsonSchema, type SchemaValueOptions } from './schema-value.ts'
export { createWatch, type TimedCase, type Watch } from './watch.ts'
export { processorMs } from './processor-ms.ts'
export { mutated } from './mutated.ts'
