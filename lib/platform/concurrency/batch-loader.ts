const MAX_CONCURRENT_BATCHES = 2
const MAX_BATCH_SIZE = 100

/**
 * Loads the keys requested in one tick together, because a round trip costs about the same for ten keys as for
 * one. A key joins only a batch that starts after the key was requested, so no value is older than its request. Nothing
 * is cached.
 * @param loadBatch returns the values in the order of the keys. If it throws, all keys of the batch fail.
 */
export function createBatchLoader<Key, Value>(
  loadBatch: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let queued: Queued<Key, Value>[] = []
  let running = 0
  let scheduled = false

  function start(): void {
    scheduled = false
    while (queued.length > 0 && running < MAX_CONCURRENT_BATCHES) {
      const batch = queued.slice(0, MAX_BATCH_SIZE)
      queued = queued.slice(MAX_BATCH_SIZE)
      running += 1
      void run(batch)
    }
  }

  async function run(batch: readonly Queued<Key, Value>[]): Promise<void> {
    try {
      const values = await loadBatch(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running -= 1
      start()
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      queued.push({ key, resolve, reject })
      if (scheduled || running >= MAX_CONCURRENT_BATCHES) return
      scheduled = true
      setImmediate(start)
    })
}

interface Queued<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}
