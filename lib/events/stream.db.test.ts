import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeOnBothEngines, describeOnPostgres, openMigrated } from '@/test/databases/databases'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { openEventFeed, type EventFeed } from './feed'
import { listEvents } from './queries'
import { createEventRecorder } from './recorder'
import { MAX_STREAMS_PER_SESSION, MAX_STREAMS_PER_USER, streamEvents, type StreamRequest } from './stream'
import type { NewEvent } from './types'

const log = { warn: vi.fn() } as never
/** Longer than any test. */
const NO_HEARTBEAT_MS = 600_000

describeOnBothEngines('The event stream', (db) => {
  const reader = (userId: string) => ({ userId, withUnowned: false })
  const paid = (userId: string, summary: string): NewEvent => ({
    kind: 'payment',
    name: 'payment succeeded',
    userId,
    summary,
  })

  async function record(...events: NewEvent[]): Promise<void> {
    const recorder = createEventRecorder({ db: db(), log })
    for (const event of events) recorder.record(event)
    await recorder.close()
  }

  interface Stream {
    readonly response: Response
    readonly text: () => string
    readonly summaries: () => string[]
    readonly hasEnded: () => boolean
    readonly leave: () => void
  }

  function open(
    eventFeed: EventFeed,
    userId: string,
    { afterId, sessionId = 'session', isSessionLive = async () => true }: Partial<StreamRequest> = {},
    heartbeatMs = NO_HEARTBEAT_MS,
  ): Stream {
    const browser = new AbortController()
    const response = streamEvents(
      { db: db(), eventFeed },
      { reader: reader(userId), sessionId, afterId, signal: browser.signal, isSessionLive },
      heartbeatMs,
    )
    let text = ''
    let ended = false
    void (async () => {
      const decoder = new TextDecoder()
      const chunks = response.body?.getReader()
      for (let chunk = await chunks?.read(); chunk?.value !== undefined; chunk = await chunks?.read())
        text += decoder.decode(chunk.value, { stream: true })
      ended = true
    })()
    return {
      response,
      text: () => text,
      summaries: () =>
        [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => (JSON.parse(data) as { summary: string }).summary),
      hasEnded: () => ended,
      leave: () => browser.abort(),
    }
  }

  test('carries the events of its user with their ids, and no events of another user', async () => {
    const feed = await openEventFeed({ db: db(), log })
    const own = open(feed, 'anna')
    const other = open(feed, 'bert')
    await record(paid('anna', 'tea'), { kind: 'login', name: 'login refused' })
    await expect.poll(own.summaries).toEqual(['tea'])
    const [event] = await listEvents({ db: db() }, reader('anna'), { limit: 1 })
    expect(own.text()).toMatch(new RegExp(`^:\n\nid: ${event?.id}\ndata: {"id":"${event?.id}","recordedAt":"20`))
    expect(other.text()).toBe(':\n\n')
    own.leave()
    other.leave()
  })

  test('repeats missed events once and in order, and then continues', async () => {
    await record(paid('cara', 'one'), paid('cara', 'two'), paid('dora', 'of another user'))
    const [, first] = await listEvents({ db: db() }, reader('cara'), { limit: 2 })
    const feed = await openEventFeed({ db: db(), log })
    const stream = open(feed, 'cara', { afterId: first?.id })
    await record(paid('cara', 'three'))
    await expect.poll(stream.summaries).toEqual(['two', 'three'])
    expect(stream.text()).not.toContain('another user')
    stream.leave()
  })

  test('carries events whose first read failed with the next notification, once and in order', async () => {
    let isDown = true
    const query = vi.fn((...call: Parameters<Database['query']>) =>
      isDown ? Promise.reject(new Error('the database is away')) : db().query(...call),
    )
    const feed = await openEventFeed({ db: { ...db(), query } as Database, log })
    const stream = open(feed, 'greta')
    await record(paid('greta', 'tea'), paid('greta', 'cake'))
    await expect.poll(() => query.mock.results.map(({ type }) => type)).toEqual(['return'])
    isDown = false
    await record(paid('greta', 'milk'))
    await expect.poll(stream.summaries).toEqual(['tea', 'cake', 'milk'])
    await record(paid('greta', 'rum'))
    await expect.poll(stream.summaries).toEqual(['tea', 'cake', 'milk', 'rum'])
    stream.leave()
  })

  test('tells proxies and Next not to store or compress it', async () => {
    const stream = open(await openEventFeed({ db: db(), log }), 'emil')
    expect(Object.fromEntries(stream.response.headers)).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    stream.leave()
  })

  test('ends when the browser disconnects, and a session and a user have a limited number of streams', async () => {
    const feed = await openEventFeed({ db: db(), log })
    const streams = Array.from({ length: MAX_STREAMS_PER_SESSION }, () => open(feed, 'fred'))
    expect(open(feed, 'fred').response.status).toBe(429)
    for (let member = 1; streams.length < MAX_STREAMS_PER_USER; member++)
      streams.push(open(feed, 'fred', { sessionId: `of member ${member}` }))
    expect(streams.every(({ response }) => response.status === 200)).toBe(true)
    expect(open(feed, 'fred', { sessionId: 'of one more' }).response.status).toBe(429)
    expect(open(feed, 'gina').response.status).toBe(200)
    for (const { leave } of streams) leave()
    await expect.poll(() => streams.every(({ hasEnded }) => hasEnded())).toBe(true)
    expect(feed.subscriptionsOf('fred')).toBe(0)
  })

  test('ends at the heartbeat after its session has ended, and continues while the database does not answer', async () => {
    const feed = await openEventFeed({ db: db(), log })
    const isSessionLive = vi
      .fn<() => Promise<boolean>>()
      .mockResolvedValueOnce(true)
      .mockRejectedValueOnce(new Error('no database'))
      .mockResolvedValue(false)
    const stream = open(feed, 'hans', { isSessionLive }, 10)
    await expect.poll(stream.hasEnded).toBe(true)
    expect(isSessionLive).toHaveBeenCalledTimes(3)
    expect(stream.text()).toBe(':\n\n:\n\n:\n\n')
    expect(feed.subscriptionsOf('hans')).toBe(0)
  })

  test('sends no event that arrives after its session has ended, and one that arrives while the session is checked', async () => {
    const feed = await openEventFeed({ db: db(), log })
    let isLive = true
    const checks: (() => void)[] = []
    const isSessionLive = () => new Promise<boolean>((resolve) => checks.push(() => resolve(isLive)))
    const stream = open(feed, 'lena', { isSessionLive })
    await record(paid('lena', 'tea'))
    await expect.poll(() => checks).toHaveLength(1)
    await record(paid('lena', 'milk'))
    checks[0]?.()
    await expect.poll(() => checks).toHaveLength(2)
    expect(stream.summaries()).toEqual(['tea'])
    checks[1]?.()
    await expect.poll(stream.summaries).toEqual(['tea', 'milk'])
    isLive = false
    await record(paid('lena', 'sugar'), paid('lena', 'salt'))
    await expect.poll(() => checks).toHaveLength(3)
    checks[2]?.()
    await expect.poll(stream.hasEnded).toBe(true)
    expect(stream.summaries()).toEqual(['tea', 'milk'])
    expect(feed.subscriptionsOf('lena')).toBe(0)
  })

  test('ends when the process stops, and no stream begins after that', async () => {
    const feed = await openEventFeed({ db: db(), log })
    const stream = open(feed, 'ida')
    feed.close()
    await expect.poll(stream.hasEnded).toBe(true)
    await expect.poll(open(feed, 'ida').hasEnded).toBe(true)
  })

  test('ends when a slow browser has too many unread events', async () => {
    const subscribers: ((event: never) => void)[] = []
    const unsubscribe = vi.fn()
    const eventFeed: EventFeed = {
      subscribe: ({ onEvent }) => {
        subscribers.push(onEvent)
        return unsubscribe
      },
      subscriptionsOf: () => 0,
      close: () => undefined,
    }
    streamEvents(
      { db: db(), eventFeed },
      {
        reader: reader('jane'),
        sessionId: 'session',
        afterId: undefined,
        signal: new AbortController().signal,
        isSessionLive: async () => true,
      },
    )
    for (let id = 1n; id <= 1_100n; id++) subscribers[0]?.({ id, recordedAt: new Date() } as never)
    expect(unsubscribe).toHaveBeenCalledTimes(1)
  })
})

describeOnPostgres('Events from several instances', (server) => {
  const reader = { userId: 'anna', withUnowned: false }
  const paid = (summary: string): NewEvent => ({ kind: 'payment', name: 'payment succeeded', userId: 'anna', summary })

  async function record(db: Pick<Database, 'query'>, ...summaries: string[]): Promise<void> {
    const recorder = createEventRecorder({ db: db as Database, log })
    for (const summary of summaries) recorder.record(paid(summary))
    await recorder.close()
    expect(recorder.droppedCount()).toBe(0)
  }

  test('have higher ids in a batch that commits later, so a reader that continues after an id misses none', async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const db = await openOn(databaseUrl)
    const slow = new Client({ connectionString: databaseUrl })
    await slow.connect()
    try {
      await slow.query('begin')
      await record(
        { query: async ({ text }, params = []) => (await slow.query(text, [...params])).rows as never },
        'first',
      )
      const second = record(db, 'second')
      await expect.poll(async () => (await slow.query(LOCK_WAITS)).rowCount, { interval: 20 }).toBe(1)
      const before = await listEvents({ db }, reader, { limit: 10 })
      expect(before).toEqual([])
      await slow.query('commit')
      await second
      const after = await listEvents({ db }, reader, { limit: 10, afterId: 0n })
      expect(after.map(({ summary }) => summary)).toEqual(['second', 'first'])
    } finally {
      await slow.end()
      await db.close()
    }
  })

  test('reach a reader that keeps reading, and the subscribers of two instances, once and in order', async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const instances = [await openOn(databaseUrl), await openOn(databaseUrl)]
    try {
      const streamed = await Promise.all(
        instances.map(async (db) => {
          const ids: bigint[] = []
          const feed = await openEventFeed({ db, log })
          feed.subscribe({ reader, onEvent: ({ id }) => void ids.push(id) })
          return ids
        }),
      )
      const read: bigint[] = []
      const written = new AbortController()
      const [db] = instances as [Database, Database]
      const readOn = async (): Promise<void> => {
        const events = await listEvents({ db }, reader, { afterId: read.at(-1) ?? 0n, limit: 10_000 })
        read.push(...events.map(({ id }) => id).toReversed())
      }
      const reading = (async () => {
        while (!written.signal.aborted) await readOn()
      })()
      const write = async (instance: Database): Promise<void> => {
        for (let count = 0; count < 50; count++) await record(instance, 'one', 'two')
      }
      await Promise.all([...instances, ...instances].map(write))
      written.abort()
      await reading
      await readOn()
      const stored = (await listEvents({ db }, reader, { limit: 10_000 })).map(({ id }) => id).toReversed()
      expect(stored).toHaveLength(400)
      expect(read).toEqual(stored)
      for (const ids of streamed) await expect.poll(() => ids).toEqual(stored)
    } finally {
      for (const each of instances) await each.close()
    }
  })

  test('arrive with the next notification when their own was lost', async () => {
    const db = await openMigrated(server)
    try {
      let notify: ((text: string) => void) | undefined
      const summaries: string[] = []
      const feed = await openEventFeed({
        db: { ...db, listen: async (_channel, onMessage) => void (notify = onMessage) },
        log,
      })
      feed.subscribe({ reader, onEvent: ({ summary }) => void summaries.push(summary) })
      await record(db, 'one')
      notify?.('1 1')
      await record(db, 'two')
      await record(db, 'three')
      notify?.('3 3')
      await expect.poll(() => summaries).toEqual(['one', 'two', 'three'])
    } finally {
      await db.close()
    }
  })
})

function openOn(databaseUrl: string): Promise<Database> {
  return openDatabase({ databaseUrl, dataDir: '', log: () => {} })
}
