import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnPostgres } from '@/test/databases/databases'
import { startTcpProxy, type TcpProxy } from '@/test/databases/tcp-proxy'
import type { Database } from './database'
import { openDatabase } from './open-database'

describeOnPostgres('Listening on a server', (server) => {
  let wire: TcpProxy
  /** Reaches the server through a proxy that the tests can cut. */
  let listening: Database
  let speaking: Database
  const heard: string[] = []

  beforeAll(async () => {
    const url = await server.createMigratedDatabase()
    wire = await startTcpProxy(url)
    listening = await openDatabase({ databaseUrl: wire.url, dataDir: '', log: () => {} })
    speaking = await openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })
  })
  afterAll(async () => {
    await listening.close()
    await speaking.close()
    await wire.stop()
  })

  /** Repeats a message until it is received: a message sent while no listener is connected is lost. */
  async function receives(word: string): Promise<void> {
    const say = async (): Promise<string[]> => {
      await speaking.query({ name: 'test_notify', text: `select pg_notify($1, $2)` }, ['test_channel', word])
      return heard
    }
    await expect.poll(say, { interval: 50 }).toContain(word)
  }

  test('a listener reconnects by itself after a lost connection', async () => {
    await listening.listen('test_channel', (text) => void heard.push(text))
    await receives('before')
    await wire.cut()
    await wire.mend()
    await receives('after')
  })

  test('a listener that is added while the server is down starts when the server is back', async () => {
    await wire.cut()
    const other: string[] = []
    const begun = listening
      .listen('test_other', (text) => void other.push(text))
      .then(
        () => 'begun',
        () => 'failed',
      )
    expect(['begun', 'failed']).toContain(await begun)
    await wire.mend()
    await receives('again')
    const say = async (): Promise<string[]> => {
      await speaking.query({ name: 'test_notify', text: `select pg_notify($1, $2)` }, ['test_other', 'hello'])
      return other
    }
    await expect.poll(say, { interval: 50 }).toContain('hello')
  })
})
