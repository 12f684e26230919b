/** An error that prevents startup, with one line for the operator. Compared by name, not by class. */
export function startError(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'StartError' })
}
