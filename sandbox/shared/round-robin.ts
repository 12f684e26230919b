type Work = () => void | Promise<void>

interface Queue {
  readonly waiting: Work[]
  readonly refusals: Work[]
  running: number
}

/** A round-robin scheduler: takes one task of each queue in turn, so a full queue delays another queue by at most one task. */
export interface RoundRobin<Name> {
  /**
   * Queues the task, or `refuse` when the queue has too many tasks. A refusal runs before the queue's tasks, even while
   * `maxConcurrent` of them run: it is cheap, and the client learns of it in time. Returns false when too many refusals are
   * queued too; then neither runs.
   */
  add(queue: Name, work: Work, refuse?: Work): boolean
  /** The number of queued tasks of the queue. */
  waitingOf(queue: Name): number
}

/** A task must not throw: an error ends the process. */
export function makeRoundRobin<Name>({
  maxConcurrent,
  maxQueued,
}: {
  /** Of each queue. */
  readonly maxConcurrent: number
  /** Of each queue; as many refusals may be queued in addition. */
  readonly maxQueued: number
}): RoundRobin<Name> {
  /** The queue at the front is next. */
  const queues = new Map<Name, Queue>()
  let due = false

  /** Starts one task at a time and reads the sockets in between, so that a task in a new queue starts soon. */
  function schedule(): void {
    if (due) return
    due = true
    setImmediate(() => {
      due = false
      if (takeTurn()) schedule()
    })
  }

  function takeTurn(): boolean {
    for (const [name, queue] of queues) {
      const work = queue.refusals.shift() ?? (queue.running < maxConcurrent ? queue.waiting.shift() : undefined)
      if (work === undefined) continue
      queues.delete(name)
      queues.set(name, queue)
      void carryOut(name, queue, work)
      return true
    }
    return false
  }

  async function carryOut(name: Name, queue: Queue, work: Work): Promise<void> {
    queue.running += 1
    try {
      await work()
    } finally {
      queue.running -= 1
      if (queue.running + queue.waiting.length + queue.refusals.length === 0) queues.delete(name)
      else schedule()
    }
  }

  return {
    add(name, work, refuse) {
      const queue = queues.get(name) ?? { waiting: [], refusals: [], running: 0 }
      if (queue.waiting.length < maxQueued) queue.waiting.push(work)
      else if (refuse !== undefined && queue.refusals.length < maxQueued) queue.refusals.push(refuse)
      else return false
      queues.set(name, queue)
      schedule()
      return true
    },
    waitingOf: (name) => queues.get(name)?.waiting.length ?? 0,
  }
}
