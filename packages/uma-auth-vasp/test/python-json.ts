/** JSON as a Python gateway writes it: ASCII only, with a space after each comma and colon. */
export function dumps(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(dumps).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, field]) => `${dumps(name)}: ${dumps(field)}`)
      .join(', ')}}`
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
