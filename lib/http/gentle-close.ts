import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** For the rest of a request that is on its way when the server is told to stop. */
const REST_MS = 5_000
/** For the first byte on a connection that has just been taken. */
const SILENT_MS = 100
/** For everything: a little longer than payments under way get, whose answers come then. */
const MOST_MS = 32_000

interface Connection {
  /** Those that were begun and have not left whole; several where the other side does not wait for one before the next. */
  readonly answers: Set<ServerResponse>
  /** How many bytes had come when the last answer left. */
  heard: number
}

/**
 * What closes a server that others hold connections to: it takes no new one, whatever is being answered gets its whole
 * answer, which says that the connection ends with it, a request that has come in part has five seconds for its rest, and a
 * connection that has said nothing ends at once. Node's own closing waits for ever for the last two, as it stops looking for
 * late senders at that moment, and goes on serving whoever asks again; browsers open connections that they never use.
 * Half a minute after all, whoever does not take an answer is not waited for any more. To be called before the server listens.
 */
export function makeGentleClose(server: Server, restMs = REST_MS): () => Promise<void> {
  const connections = new Map<Socket, Connection>()
  let isClosing = false
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { answers: new Set(), heard: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  // Ahead of whoever answers: the head of an answer tells whether the connection is kept.
  server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    if (isClosing) answer.shouldKeepAlive = false
    connection.answers.add(answer)
    answer.once('close', () => {
      connection.answers.delete(answer)
      connection.heard = socket.bytesRead
    })
  })
  // Node's own, which its closing calls, takes an answer that is ended and not yet sent for none.
  server.closeIdleConnections = () =>
    endThose(({ answers, heard }, { bytesRead }) => answers.size === 0 && heard > 0 && bytesRead === heard)

  function endThose(isOver: (connection: Connection, socket: Socket) => boolean): void {
    for (const [socket, connection] of connections) if (isOver(connection, socket)) socket.destroy()
  }

  function endSilent(): void {
    endThose((_connection, { bytesRead }) => bytesRead === 0)
  }

  function endWithTheirAnswers(): void {
    isClosing = true
    // Only the last of several, or those behind it would be lost.
    for (const { answers } of connections.values()) {
      const last = [...answers].at(-1)
      if (last?.headersSent === false) last.shouldKeepAlive = false
    }
  }

  return async () => {
    endWithTheirAnswers()
    await untilAllIsRead()
    const timers = [
      setTimeout(() => void untilAllIsRead().then(endSilent), SILENT_MS),
      setInterval(() => endThose((connection) => !isBeingAnswered(connection)), restMs),
      setTimeout(() => endThose(() => true), MOST_MS),
    ]
    const closed = new Promise((resolve) => server.close(resolve))
    // What said before that it is kept, and is idle from now on.
    server.keepAliveTimeout = 1
    await closed
    for (const timer of timers) clearTimeout(timer)
  }
}

/** What had come before this was called: a busy process has not looked at all of it, and who asked would not know. */
async function untilAllIsRead(): Promise<void> {
  // The first turn of the event loop may be past its reading.
  await turn()
  await turn()
}

/** A request has come whole, and its answer has not left whole. */
function isBeingAnswered({ answers }: Connection): boolean {
  return [...answers].some((answer) => answer.req.complete)
}
