import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { formatZonedTime, timeZoneNames } from './time-zones.ts'

/** Tells the date and time in a time zone (CO-76). */
export const currentDate = defineComponent({
  type: 'CurrentDate',
  displayName: 'Current Date',
  description: 'Tells the current date and time in a time zone.',
  icon: 'clock',
  category: 'utilities',
  module: 'lfx.components.utilities.current_date.CurrentDateComponent',
  inputs: {
    timezone: field.dropdown({
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

/** The sentence about a moment in a zone; an unknown zone gives a text that begins with `Error: `. */
export function describeCurrentDate(now: Date, zone: string): string {
  try {
    return `Current date and time in ${zone}: ${formatZonedTime(now, zone)}`
  } catch {
    return `Error: there is no time zone named ${zone}`
  }
}
