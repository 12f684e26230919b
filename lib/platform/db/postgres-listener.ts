import { Client } from 'pg'

const AGAIN_MS = 1_000

/** One listening connection for each process, opened for the first channel. */
export function makePgListener(
  databaseUrl: string,
  log: (message: string) => void,
  connectTimeoutMs: number,
): { listen(channel: string, onMessage: (text: string) => void): Promise<void>; close(): void } {
  const channels = new Map<string, (text: string) => void>()
  let client: Client | undefined
  let closed = false

  async function open(): Promise<void> {
    // A call of `listen` may have reconnected before the timer below fired.
    if (closed || client !== undefined) return
    const opened = new Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    })
    client = opened
    const lost = (): void => {
      if (closed || client !== opened) return
      client = undefined
      setTimeout(() => void open().catch(() => log('The listening connection is not back yet.')), AGAIN_MS).unref()
    }
    opened.on('error', lost)
    opened.on('end', lost)
    opened.on('notification', ({ channel, payload }) => channels.get(channel)?.(payload ?? ''))
    try {
      await opened.connect()
      for (const channel of channels.keys()) await opened.query(`listen ${opened.escapeIdentifier(channel)}`)
    } catch (error) {
      lost()
      throw error
    }
  }

  return {
    async listen(channel, onMessage) {
      channels.set(channel, onMessage)
      if (client === undefined) return open()
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
    },
    close() {
      closed = true
      void client?.end().catch(() => undefined)
    },
  }
}
