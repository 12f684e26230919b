type Work = () => void | Promise<void>

interface Lane {
  readonly waiting: Work[]
  readonly refusals: Work[]
  running: number
}

/** Runs tasks of many lanes in turns: a lane with many tasks delays any other lane by at most one task. */
export interface Turns<Name> {
  /**
   * Runs the task in the lane's turn, or `refuse` when too many of its tasks are queued. Refusals come first and wait
   * for no running task: they are cheap, and tell the client in time. False when too many refusals are queued too; then
   * neither runs.
   */
  add(lane: Name, work: Work, refuse?: Work): boolean
  /** The number of queued tasks of the lane. */
  waitingOf(lane: Name): number
}

/** A task must not throw: an error ends the process. */
export function makeTurns<Name>({
  atOnce,
  maxQueued,
}: {
  /** Of each lane. */
  readonly atOnce: number
  /** Of each lane; as many refusals may be queued in addition. */
  readonly maxQueued: number
}): Turns<Name> {
  /** In the order of their turns. */
  const lanes = new Map<Name, Lane>()
  let due = false

  /** One task at a time, with the sockets read in between, so that a new task gets the next turn. */
  function schedule(): void {
    if (due) return
    due = true
    setImmediate(() => {
      due = false
      if (takeTurn()) schedule()
    })
  }

  function takeTurn(): boolean {
    for (const [name, lane] of lanes) {
      const work = lane.refusals.shift() ?? (lane.running < atOnce ? lane.waiting.shift() : undefined)
      if (work === undefined) continue
      lanes.delete(name)
      lanes.set(name, lane)
      void carryOut(name, lane, work)
      return true
    }
    return false
  }

  async function carryOut(name: Name, lane: Lane, work: Work): Promise<void> {
    lane.running += 1
    try {
      await work()
    } finally {
      lane.running -= 1
      if (lane.running + lane.waiting.length + lane.refusals.length === 0) lanes.delete(name)
      else schedule()
    }
  }

  return {
    add(name, work, refuse) {
      const lane = lanes.get(name) ?? { waiting: [], refusals: [], running: 0 }
      if (lane.waiting.length < maxQueued) lane.waiting.push(work)
      else if (refuse !== undefined && lane.refusals.length < maxQueued) lane.refusals.push(refuse)
      else return false
      lanes.set(name, lane)
      schedule()
      return true
    },
    waitingOf: (name) => lanes.get(name)?.waiting.length ?? 0,
  }
}
