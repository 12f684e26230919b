type Work = () => void | Promise<void>

interface Lane {
  readonly waiting: Work[]
  readonly refusals: Work[]
  running: number
}

/** Work of many, in fair turns: whoever has much to do waits for himself, and keeps nobody else waiting for more than one piece of it. */
export interface Turns<Name> {
  /**
   * Carries the work out in the lane's turn, and `refuse` instead where too much of the lane waits already. Refusals go
   * first, and wait for nothing that runs: they are cheap, and say that it was too much while there is still time. False when even those pile up, and
   * nothing will happen.
   */
  add(lane: Name, work: Work, refuse?: Work): boolean
  /** How much of the lane waits. */
  waitingOf(lane: Name): number
}

/** Work must not throw: what it throws ends the process. */
export function makeTurns<Name>({
  atOnce,
  maxQueued,
}: {
  /** Of one lane. */
  readonly atOnce: number
  /** Of one lane; the same number again of refusals. */
  readonly maxQueued: number
}): Turns<Name> {
  /** In the order of their turns. */
  const lanes = new Map<Name, Lane>()
  let due = false

  /** One piece at a time, and the sockets are read in between: what has just come in gets its turn next. */
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
