const KEY = Symbol.for('vasp.process')
type Singletons = Map<string, unknown>

/**
 * Values that exist once in a process. Next's production build loads a module once for routes, once for pages and once for
 * instrumentation, so that a module variable exists several times. `globalThis` exists once.
 */
export function processSingletons(): Singletons {
  const holder = globalThis as { [KEY]?: Singletons }
  return (holder[KEY] ??= new Map())
}

/** Returns the value that the first call in this process created. `make` may return a promise, which concurrent callers then share. */
export function singleton<Value>(key: string, make: () => Value): Value {
  const singletons = processSingletons()
  if (!singletons.has(key)) singletons.set(key, make())
  return singletons.get(key) as Value
}
