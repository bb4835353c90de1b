/** Columns of the tables in which users define the fields of a structured answer. */
export const schemaColumns = [
  {
    name: 'name',
    display_name: 'Name',
    type: 'str',
    description: 'Name of the field.',
    default: 'field',
    edit_mode: 'inline',
  },
  {
    name: 'description',
    display_name: 'Description',
    type: 'str',
    description: 'Description of the content.',
    default: 'description of field',
    edit_mode: 'popover',
  },
  {
    name: 'type',
    display_name: 'Type',
    type: 'str',
    description: 'Type of the value.',
    options: ['str', 'int', 'float', 'bool', 'dict'],
    default: 'str',
    edit_mode: 'inline',
  },
  {
    name: 'multiple',
    display_name: 'As List',
    type: 'boolean',
    description: 'Whether the field contains a list of values.',
    default: 'False',
    edit_mode: 'inline',
  },
] as const
