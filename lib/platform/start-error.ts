/** What keeps the server from starting, in one line that an operator can act on. Told apart by name, not by class. */
export function startError(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'StartError' })
}
