export { basicFunctionNames } from './functions/basic-functions.ts'
export type { HostFunction } from './functions/evaluate.ts'
export { evaluateFunction, type EvaluateFunctionOptions } from './functions/evaluate-function.ts'
export { parseExpression, type ExpressionPart } from './functions/expression.ts'
