/** An error that prevents startup, with one line for the operator. Recognized by its name, not by its class. */
export function startError(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'StartError' })
}

/** For an address on which the server cannot listen. */
export function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE')
    return startError(`PORT ${port} is in use on ${host}: stop the other program or set another PORT.`, error)
  if (error.code === 'EACCES')
    return startError(`This user is not allowed to open PORT ${port}: set a PORT above 1023.`, error)
  return startError(
    `HOST cannot be used (${error.code ?? 'unknown'}): use an address of this machine, or leave it out.`,
    error,
  )
}
