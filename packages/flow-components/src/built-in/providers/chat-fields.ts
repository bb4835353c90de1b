import { field } from '@x/flow-engine'

/** The inputs of every provider's chat model component. */
export const chatFields = {
  input_value: field.message({ displayName: 'Input' }),
  system_message: field.multiline({ displayName: 'System Message' }),
  stream: field.bool({ displayName: 'Stream', default: false, advanced: true }),
}

/** The maximum length of an answer; 0 for no limit. */
export function maxTokensField(displayName: string, { advanced = true } = {}) {
  return field.int({
    displayName,
    info: 'Maximum number of output tokens; 0 for no limit.',
    default: 0,
    ...(advanced ? { advanced } : {}),
  })
}

export function temperatureField(value: number, { advanced = true, max = 2 } = {}) {
  return field.slider({
    displayName: 'Temperature',
    default: value,
    min: 0,
    max,
    step: 0.01,
    ...(advanced ? { advanced } : {}),
  })
}

/** The number of answers, for providers that can return several. */
export function answersField() {
  return field.int({
    displayName: 'N',
    info: 'Number of answers; the first is used.',
    default: 0,
    advanced: true,
  })
}

/** A switch of older editors that has no effect. */
export function toolModelField() {
  return field.bool({
    displayName: 'Enable Tool Models',
    info: 'Has no effect: every model may use tools.',
    default: false,
    advanced: true,
  })
}
