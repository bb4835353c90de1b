import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { formatZonedTime, timeZoneNames } from './time-zones.ts'

/** Returns the date and time in a time zone. */
export const currentDate = defineComponent({
  type: 'CurrentDate',
  displayName: 'Current Date',
  description: 'Returns the current date and time in a time zone.',
  icon: 'clock',
  category: 'utilities',
  module: 'lfx.components.utilities.current_date.CurrentDateComponent',
  inputs: {
    timezone: field.dropdown({
      closed: false,
      displayName: 'Timezone',
      info: 'Time zone of the result.',
      options: timeZoneNames,
      default: 'UTC',
      toolMode: true,
    }),
  },
  outputs: {
    current_date: output.message({
      displayName: 'Current Date',
      method: 'get_current_date',
      run({ timezone }, ctx) {
        const text = describeCurrentDate(ctx.runtime.now(), timezone)
        ctx.status(text)
        return text
      },
    }),
  },
})

/** Describes a time in a zone; an unknown zone returns text that starts with `Error: `. */
export function describeCurrentDate(now: Date, zone: string): string {
  try {
    return `Current date and time in ${zone}: ${formatZonedTime(now, zone)}`
  } catch {
    return `Error: unknown time zone ${zone}`
  }
}
