import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { exportFile } from './export-file'
import { makeRateLimits, MAX_EXPORTS, type RateLimits } from './rate-limits'

let limits: RateLimits
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  limits = makeRateLimits(true)
})
afterEach(() => void vi.useRealTimers())

async function* partsOf(count: number, fail?: Error): AsyncGenerator<string, void> {
  for (let part = 0; part < count; part++) yield await Promise.resolve('part ')
  if (fail !== undefined) throw fail
}

const start = (username: string, parts = partsOf(3), method = 'GET'): Promise<Response> =>
  exportFile(limits, new Request('http://localhost/export', { method }), {
    username,
    name: 'file.csv',
    type: 'text/csv',
    parts,
  })

const readerOf = (response: Response) => response.body!.getReader()

/** How many more exports can begin now. Takes no slot. */
async function roomFor(username: string): Promise<number> {
  const names = [username, ...Array.from({ length: MAX_EXPORTS }, (_, index) => `other ${index}`)]
  const taken = await Promise.allSettled(names.map((name) => limits.startExport(name)))
  const releases = taken.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  for (const release of releases) release()
  return releases.length
}

it('sends the whole file, and frees its slot at the end', async () => {
  const response = await start('alice')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="file.csv"')
  expect(await roomFor('alice')).toBe(MAX_EXPORTS - 1)
  expect(await response.text()).toBe('part part part ')
  expect(await roomFor('alice')).toBe(MAX_EXPORTS)
})

it('rejects a second export of a user with 429, and any beyond the limit of all users with 503', async () => {
  const open = [await start('alice')]
  await expect(start('alice')).rejects.toMatchObject({
    status: 429,
    message:
      'An export of yours is in progress. Cancel it, or wait until it ends, and try again. Nothing was exported.',
    options: { headers: { 'Retry-After': '5' } },
  })
  for (const other of ['bob', 'carol', 'dave']) open.push(await start(other))
  expect(open).toHaveLength(MAX_EXPORTS)
  await expect(start('erin')).rejects.toMatchObject({
    status: 503,
    message: 'Too many exports are in progress. Try again in a moment. Nothing was exported.',
    options: { headers: { 'Retry-After': '5' } },
  })
  await open[0]?.body?.cancel()
  expect((await start('erin')).status).toBe(200)
  await expect(start('alice')).rejects.toMatchObject({ status: 503 })
})

it('takes the last slot once when two users ask at one moment', async () => {
  for (const name of ['alice', 'bob', 'carol']) await start(name)
  const last = await Promise.allSettled([start('dave'), start('erin')])
  expect(last.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

it('frees the slot of a reader that leaves, before or after its first chunk or during a read, exactly once', async () => {
  for (const leave of [
    async (response: Response) => response.body?.cancel(),
    async (response: Response) => {
      const reader = readerOf(response)
      await reader.read()
      await reader.cancel()
    },
    async (response: Response) => {
      const reader = readerOf(response)
      void reader.read()
      await reader.cancel()
      await reader.cancel()
    },
  ]) {
    const response = await start('alice')
    await leave(response)
    vi.advanceTimersByTime(60_000)
    expect(await roomFor('alice')).toBe(MAX_EXPORTS)
  }
})

it('frees the slot of a reader that leaves only when the read in progress has ended', async () => {
  let endRead: () => void = () => undefined
  const read = new Promise<void>((resolve) => (endRead = resolve))
  const parts = (async function* () {
    await read
    yield 'late'
  })()
  const reader = readerOf(await start('alice', parts))
  void reader.read()
  const left = reader.cancel()
  expect(await roomFor('alice')).toBe(MAX_EXPORTS - 1)
  endRead()
  await left
  expect(await roomFor('alice')).toBe(MAX_EXPORTS)
})

it('frees the slot when reading fails, and the reader learns that the file is incomplete', async () => {
  const response = await start('alice', partsOf(1, new Error('the database is gone')))
  await expect(response.text()).rejects.toThrow('the database is gone')
  vi.advanceTimersByTime(60_000)
  expect(await roomFor('alice')).toBe(MAX_EXPORTS)
})

it('ends an export whose reader asks for nothing in half a minute, also before the first chunk, and no slow one', async () => {
  for (const chunks of [0, 2]) {
    const reader = readerOf(await start('alice'))
    for (let chunk = 0; chunk < chunks; chunk++) {
      await vi.advanceTimersByTimeAsync(29_000)
      await reader.read()
    }
    await vi.advanceTimersByTimeAsync(29_000)
    expect(await roomFor('alice')).toBe(MAX_EXPORTS - 1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await roomFor('alice')).toBe(MAX_EXPORTS)
    await expect(reader.read()).rejects.toThrow('the reader has stalled')
  }
})

it('takes no slot for HEAD', async () => {
  const response = await start('alice', partsOf(1), 'HEAD')
  expect([response.body, response.headers.get('content-type')]).toEqual([null, 'text/csv'])
  expect(await roomFor('alice')).toBe(MAX_EXPORTS)
})
