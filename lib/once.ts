const KEY = Symbol.for('vasp.process')
type Store = Map<string, unknown>

/**
 * The values that must exist once in a process. Next's production build gives routes, pages and instrumentation
 * their own instances of the same module, so module scope is not "once"; `globalThis` is.
 */
export function processStore(): Store {
  const holder = globalThis as { [KEY]?: Store }
  return (holder[KEY] ??= new Map())
}

/** Returns what `make` gave the first time in this process. Store the promise, so that two callers share it. */
export function once<Value>(key: string, make: () => Value): Value {
  const store = processStore()
  if (!store.has(key)) store.set(key, make())
  return store.get(key) as Value
}
