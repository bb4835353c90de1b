const BRAND = Symbol.for('x.option-error')

/** Where the pages of the options are. */
const DOCS = 'https://github.com/example/x/blob/main/docs/reference/'

/** A wrong option: the caller's mistake, whose message names the called function and the option. */
export class OptionError extends TypeError {
  readonly code = 'invalid_option'
  /** The path of the option, such as `settings.maxFlowsPerUser`; empty if there are no options at all. */
  readonly option: string
  /** The page that describes the options. */
  readonly docs: string

  constructor(option: string, message: string, page = 'adapter-errors.md') {
    super(message)
    this.name = 'TypeError'
    this.option = option
    this.docs = `${DOCS}${page}`
    Object.defineProperty(this, BRAND, { value: true })
  }
}
