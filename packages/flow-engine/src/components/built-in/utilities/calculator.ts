import { formatNumber } from '../../../graph/values/literal-text.ts'
import { createData } from '../../../graph/values/data.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { calculate, CalculationError } from './calculate.ts'

/**
 * Evaluates arithmetic with six decimals. An invalid expression is returned as an error, not thrown.
 */
export const calculator = defineComponent({
  type: 'CalculatorComponent',
  displayName: 'Calculator',
  description: 'Evaluates an arithmetic expression with + - * / ** and parentheses.',
  icon: 'calculator',
  category: 'utilities',
  module: 'lfx.components.utilities.calculator_core.CalculatorComponent',
  inputs: {
    expression: field.text({
      displayName: 'Expression',
      toolMode: true,
      info: 'For example 4*4*(33/22)+12-20',
    }),
  },
  outputs: {
    result: output.data({
      displayName: 'Data',
      method: 'evaluate_expression',
      run({ expression }, ctx) {
        const data = calculatorAnswer(expression)
        const text = data.result ?? data.error ?? ''
        if (data.result !== undefined) ctx.log('', data.result)
        ctx.status(text)
        return createData(data)
      },
    }),
  },
})

/** Returns `{result}`, or `{error, input}` for an invalid expression. */
export function calculatorAnswer(expression: string): {
  result?: string
  error?: string
  input?: string
} {
  try {
    return { result: sixDecimals(calculate(expression)) }
  } catch (error) {
    if (!(error instanceof CalculationError)) throw error
    const text = error.divisionByZero
      ? `Error: ${error.message}`
      : `Invalid expression: ${error.message}`
    return { error: text, input: expression }
  }
}

function sixDecimals(value: number): string {
  if (!Number.isFinite(value)) return formatNumber(value)
  if (Number.isInteger(value)) return BigInt(value).toString()
  const text = value.toFixed(6)
  const cut =
    text.includes('.') && !text.includes('e') ? text.replace(/0+$/, '').replace(/\.$/, '') : text
  return cut === '-0' ? '0' : cut
}
