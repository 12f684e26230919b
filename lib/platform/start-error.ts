/** An error that prevents startup, with one line for the operator. Recognized by its name, not by its class. */
export function startError(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'StartError' })
}
