/** Whether a value fits a field of a form (MCP elicitation): the rule for answers and for defaults alike. Pure. */

type FormField =
  | { readonly kind: 'text' | 'yes-no' }
  | { readonly kind: 'number'; readonly isWhole: boolean }
  | { readonly kind: 'choice' | 'choices'; readonly options: readonly { readonly value: string }[] }

type FormValue = string | number | boolean | readonly string[]

export function fitsField(field: FormField, value: unknown): value is FormValue {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && (!field.isWhole || Number.isInteger(value))
    case 'yes-no':
      return typeof value === 'boolean'
    case 'choice':
      return isOption(field.options, value)
    default:
      return Array.isArray(value) && value.every((one) => isOption(field.options, one))
  }
}

function isOption(options: readonly { readonly value: string }[], value: unknown): boolean {
  return options.some((option) => option.value === value)
}
