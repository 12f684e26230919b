import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as tick } from 'node:timers/promises'

/** Time for the rest of a request that has arrived only in part. */
const REST_MS = 5_000
/** Time for all answers: a little more than the payments that they wait for may take. */
const MAX_MS = 32_000

/**
 * Returns the function that closes the server. Idle connections end at once, requests in progress get their answer with
 * `Connection: close`, and a request that has arrived in part has `restMs` for the rest. `server.close()` alone would
 * keep unused connections and partial requests open for as long as the client likes. Call `makeGracefulShutdown` before
 * the server listens.
 */
export function makeGracefulShutdown(server: Server, restMs = REST_MS): () => Promise<void> {
  const answers = new Map<Socket, Set<ServerResponse>>()
  let isClosing = false
  server.on('connection', (socket: Socket) => {
    answers.set(socket, new Set())
    socket.once('close', () => answers.delete(socket))
  })
  // Runs before the handler, because the head of an answer says whether its connection stays open.
  server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    if (isClosing) answer.shouldKeepAlive = false
    answers.get(socket)?.add(answer)
    answer.once('close', () => answers.get(socket)?.delete(answer))
  })

  function endWhere(isOver: (pending: ServerResponse[], socket: Socket) => boolean): void {
    for (const [socket, pending] of answers) if (isOver([...pending], socket)) socket.destroy()
  }

  return async () => {
    isClosing = true
    for (const pending of answers.values()) {
      const last = [...pending].at(-1)
      if (last?.headersSent === false) last.shouldKeepAlive = false
    }
    // Bytes that arrived before the call are read first, so that their request is answered.
    await tick()
    await tick()
    const closed = new Promise((resolve) => server.close(resolve))
    server.keepAliveTimeout = 1
    endWhere((_pending, { bytesRead }) => bytesRead === 0)
    const timers = [
      setInterval(() => endWhere((pending) => !pending.some(({ req }) => req.complete)), restMs),
      setTimeout(() => server.closeAllConnections(), MAX_MS),
    ]
    await closed
    for (const timer of timers) clearTimeout(timer)
  }
}
